"""The page of a space's policy: a labelled form, a preview, and the versions."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.limits.rate_limits import CallKind, count_call
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict, InvalidArguments
from memory.embeddings import EmbeddingError
from memory.models import SavedQuery
from memory.models.policies import Policy, Version, current_policy, policy_version, policy_versions
from memory.models.saved_queries import MAX_SAVED
from memory.policies import form
from memory.policies.presets import PRESETS, Preset
from memory.policies.preview import Preview, preview_policy
from memory.policies.services import change_policy, revert_policy
from memory.policy import PolicyDocument, changed

VERSIONS = 20
NAMED = 4  # memories listed for each outcome
QUERIES = 3
MAX_QUERY = 500  # characters
DETAILS = 4  # changes named in the message


@require_GET
@space_page("read")
def policy(request: PageRequest, access: Access) -> HttpResponse:
    """Show the policy and its versions; for htmx, the versions before a number."""
    below = request.GET.get("before", "")
    if request.htmx and below.isdecimal():
        context = _versions(access, int(below[:9]))
        return render(request, "memory/policies/_versions.html", context)
    now_holds = current_policy(access.space)
    preset = PRESETS.get(request.GET.get("preset", "")) if "admin" in access.scopes else None
    posted = form.texts_of(changed(now_holds.document, preset.changes)) if preset else None
    return _shown(request, access, now_holds, posted=posted, preset=preset)


@require_GET
@space_page("read")
def compare(request: PageRequest, access: Access) -> HttpResponse:
    """Render the differences between two versions of the policy."""
    asked = [request.GET.get(name, "") for name in ("first", "second")]
    found = [
        policy_version(access.space, int(number[:9])) if number.isdecimal() else None
        for number in asked
    ]
    context: dict[str, Any]
    match found:
        case [Policy() as first, Policy() as second]:
            changes = form.changes(first.document, second.document)
            context = {"first": first.version, "second": second.version, "changes": changes}
        case _:
            newest = current_policy(access.space).version
            context = {"error": _("Choose versions from 1 to %(newest)d.") % {"newest": newest}}
    return render(request, "memory/policies/_compared.html", context)


@require_POST
@space_page("read")
def preview(request: PageRequest, access: Access) -> HttpResponse:
    """Show the effect of the submitted form, or the errors of its fields. Changes nothing."""
    count_call(access, CallKind.PREVIEW, now=timezone.now())
    queries = _queries(request.POST.getlist("query"))
    request.session[_session_key(access)] = queries
    now_holds = current_policy(access.space)
    asked = form.asked(request.POST) if "admin" in access.scopes else {}
    context: dict[str, Any] = {}
    refused: InvalidArguments | None = None
    try:
        document = changed(now_holds.document, asked)
        context["differs"] = form.changes(now_holds.document, document)
        context |= _previewed(access, asked, [query for query in queries if query])
    except InvalidArguments as error:
        refused = error
    except EmbeddingError as error:
        context["error"] = str(error)
    posted = request.POST if asked else None
    context["groups"] = form.groups(now_holds.document, posted, refused)
    context["refused"] = refused
    return render(request, "memory/policies/_preview.html", context)


@require_POST
@space_page("admin")
def save(request: PageRequest, access: Access) -> HttpResponse:
    """Store the form as the next version, or show the errors of its fields."""
    before = current_policy(access.space)
    version = request.POST.get("version", "")
    known = int(version) if version.isdecimal() else None
    changes = form.asked(request.POST) | {"version": known}
    try:
        after = change_policy(
            space=access.space, changes=changes, actor=access.actor, now=timezone.now()
        )
    except InvalidArguments as error:
        return _shown(request, access, before, posted=request.POST, refused=error)
    except Conflict:
        return _shown(request, access, before, posted=request.POST, overtaken=True)
    _say_what_changed(request, before, after)
    return redirect("policy", access.space.slug)


@require_POST
@space_page("admin")
def revert(request: PageRequest, access: Access, version: int) -> HttpResponse:
    """Put an earlier version into effect again, as a new version."""
    before = current_policy(access.space)
    after = revert_policy(
        space=access.space, version=version, actor=access.actor, now=timezone.now()
    )
    _say_what_changed(request, before, after)
    return redirect("policy", access.space.slug)


def _say_what_changed(request: PageRequest, before: Policy, after: Policy) -> None:
    found = form.changes(before.document, after.document)
    if not found:
        messages.info(request, _("No changes to save."))
        return
    words = [f"{change.label} {change.before} → {change.after}" for change in found[:DETAILS]]
    if more := len(found) - DETAILS:
        words += [_("and %(n)d more") % {"n": more}] if more > 0 else []
    said = {"version": after.version, "changes": "; ".join(words)}
    messages.success(request, _("Saved as version %(version)d. %(changes)s.") % said)


def _shown(
    request: PageRequest,
    access: Access,
    now_holds: Policy,
    posted: Mapping[str, str] | None = None,
    refused: InvalidArguments | None = None,
    overtaken: bool = False,
    preset: Preset | None = None,
) -> HttpResponse:
    saved = SavedQuery.objects.in_space(access.space).newest(MAX_SAVED)
    context = {
        "version": now_holds.version,
        "groups": form.groups(now_holds.document, posted, refused),
        "store_above": now_holds.document.assessment.store_above,
        "refused": refused,
        "overtaken": overtaken,
        "presets": PRESETS,
        "preset": preset,
        "queries": _queries(request.session.get(_session_key(access)) or saved),
        "saved": saved,
        **_versions(access),
    }
    status = 422 if refused else 409 if overtaken else 200
    return render(request, "memory/policies/policy.html", context, status=status)


def _versions(access: Access, below: int | None = None) -> dict[str, Any]:
    found = policy_versions(access.space, below=below, limit=VERSIONS)
    oldest = found[-1].policy.version if found else 1
    return {
        "versions": [_with_changes(version) for version in found],
        "next": oldest if oldest > 1 else None,
        "newest": found[0].policy.version if found and below is None else None,
    }


def _with_changes(version: Version) -> dict[str, Any]:
    before = version.before or PolicyDocument()
    return {
        "number": version.policy.version,
        "version": version,
        "changes": form.changes(before, version.policy.document),
    }


def _previewed(access: Access, asked: Mapping[str, Any], queries: Sequence[str]) -> dict[str, Any]:
    found: Preview = preview_policy(
        space=access.space,
        reader=access.reader,
        person=access.person,
        changes=asked,
        queries=queries,
        now=access.here(timezone.now()),
    )
    return {
        "counts": found.counts,
        "expiring": found.would_expire[:NAMED],
        "evicted": found.would_evict[:NAMED],
        "standing": found.standing,
        "rankings": found.rankings,
    }


def _queries(sent: Sequence[str]) -> list[str]:
    """Return the questions for all fields of the form, empty ones included."""
    queries = [SentText(MAX_QUERY).clean(query) for query in sent[:QUERIES]]
    return [*queries, *[""] * (QUERIES - len(queries))]


def _session_key(access: Access) -> str:
    return f"policy-queries-{access.space.pk}"
