"""The ranking lab: compare profiles on one question, mark results, measure, and adopt a profile.

The URL contains the whole comparison, also for POSTs: each answer renders it again.
"""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.limits.rate_limits import CallKind, count_call
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict, FieldError, InvalidArguments
from memory.embeddings import EmbeddingError
from memory.formulas.ranking import PROFILES
from memory.lab import comparison as reads
from memory.lab.comparison import OWN, LabRequest
from memory.lab.labels import SIGNAL_WORDS
from memory.lab.measuring import LONG_PATIENCE, PATIENCE, measure
from memory.lab.relevance import mark_relevance, unmark_relevance
from memory.lab.saved_queries import drop_query, save_query
from memory.models import RelevanceMark, SavedQuery
from memory.models.policies import current_policy
from memory.models.saved_queries import MAX_SAVED
from memory.policies.profiles import PROFILE_CHOICES, PROFILE_NAMES
from memory.policies.services import change_policy
from memory.recall.recall import SearchRequest, profile_named, recall

MARKED = 50
FOUND = 8
MARKS = {"yes": True, "no": False}


@require_GET
@space_page("read")
def lab(request: PageRequest, access: Access) -> HttpResponse:
    """Show the comparison; for htmx without the form above it."""
    count_call(access, CallKind.LAB, now=timezone.now())
    context = _compared(request, access)
    if request.htmx:
        return render(request, "memory/lab/_compared.html", context)
    status = 422 if context["wrong"] else 200
    return render(request, "memory/lab/lab.html", context | _form(context["asked"]), status=status)


@require_GET
@space_page("read")
def figures(request: PageRequest, access: Access) -> HttpResponse:
    """Show how well the columns' profiles, or all profiles, find the marked memories."""
    count_call(access, CallKind.LAB, now=timezone.now())
    policy, is_all = current_policy(access.space), "all" in request.GET
    asked, wrong = reads.asked(request.GET, policy.document)
    profiles = asked.profiles
    if is_all:
        own = [profile for profile in profiles if profile.name == OWN]
        profiles = [*PROFILES.values(), *own]
    context: dict[str, Any] = {"asked": asked, "wrong": wrong, "space": access.space}
    try:
        if not wrong:
            measured = measure(
                space=access.space,
                policy=policy,
                profiles=profiles,
                now=timezone.now(),
                reader=access.reader,
                patience=LONG_PATIENCE if is_all else PATIENCE,
            )
            context["measured"] = measured
            context["questions"] = [
                (one, asked.with_query(one.query), list(zip(profiles, one.places, strict=True)))
                for one in measured.questions
            ]
    except EmbeddingError as error:
        context["error"] = str(error)
    context["is_all"] = is_all
    return render(request, "memory/lab/_figures.html", context)


@require_GET
@space_page("write")
def find(request: PageRequest, access: Access) -> HttpResponse:
    """Find memories by other words, to be marked for the question."""
    count_call(access, CallKind.LAB, now=timezone.now())
    asked, _wrong = _asked(request, access)
    words = SentText(reads.MAX_QUERY).clean(request.GET.get("find"))
    context: dict[str, Any] = {"asked": asked, "words": words}
    try:
        if words:
            found = recall(
                access.space,
                SearchRequest(words, limit=FOUND, reader=access.reader),
                now=access.here(timezone.now()),
            )
            context["memories"] = [result.memory for result in found.results]
    except EmbeddingError as error:
        context["error"] = str(error)
    return render(request, "memory/lab/_found.html", context)


@require_POST
@space_page("write")
def mark(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Mark the memory as relevant to the question or not; "" removes the mark."""
    query, said = _question(request, access), request.POST.get("relevant", "")
    if said and said not in MARKS:
        raise InvalidArguments(FieldError("relevant", "must be yes, no or empty"))
    if said:
        mark_relevance(
            space=access.space,
            query=query,
            memory_id=memory_id,
            relevant=MARKS[said],
            user=request.user,
            now=timezone.now(),
        )
    else:
        unmark_relevance(space=access.space, query=query, memory_id=memory_id)
    response = _drawn(request, access)
    response["HX-Trigger"] = "marked"
    return response


@require_POST
@space_page("write")
def save(request: PageRequest, access: Access) -> HttpResponse:
    """Save the question, or the one that was just removed."""
    query = SentText(reads.MAX_QUERY).clean(request.GET.get("dropped"))
    try:
        save_query(
            space=access.space, query=query or _question(request, access), now=timezone.now()
        )
    except Conflict:
        said = _("You have %(n)d saved questions, the maximum. Delete one first.") % {
            "n": MAX_SAVED
        }
        return _drawn(request, access, toast={"text": said, "level": "warning"})
    return _drawn(request, access)


@require_POST
@space_page("write")
def drop(request: PageRequest, access: Access) -> HttpResponse:
    """Remove a saved question; the toast offers an undo."""
    query = request.POST.get("query", "")
    drop_query(space=access.space, query=query)
    asked, _wrong = _asked(request, access)
    again = urlencode({"dropped": query})
    undo = f"{reverse('lab_save', args=[access.space.slug])}?{asked.state}&{again}"
    toast = {"text": _("Question removed."), "undo_url": undo}
    return _drawn(request, access, toast=toast)


@require_POST
@space_page("admin")
def adopt(request: PageRequest, access: Access, profile: str) -> HttpResponse:
    """Make the profile the space's, as the next version of its policy; the toast offers an undo."""
    profile_named(profile)
    before = current_policy(access.space)
    after = change_policy(
        space=access.space,
        changes={"recall": {"profile": profile}},
        actor=access.actor,
        now=timezone.now(),
    )
    if after.version == before.version:
        said = {"text": _("No changes: this profile is already in use."), "level": "info"}
        return _drawn(request, access, toast=said)
    text = _("This space now ranks with %(profile)s. Policy saved as version %(version)d.")
    was = reverse("lab_adopt", args=[access.space.slug, before.document.recall.profile])
    undo = f"{was}?{_asked(request, access)[0].state}"
    toast = {
        "text": text % {"profile": PROFILE_NAMES[profile], "version": after.version},
        "level": "success",
    }
    return _drawn(request, access, toast=toast | {"undo_url": undo})


def _asked(request: PageRequest, access: Access) -> tuple[LabRequest, list[str]]:
    return reads.asked(request.GET, current_policy(access.space).document)


def _question(request: PageRequest, access: Access) -> str:
    asked, wrong = _asked(request, access)
    if wrong or not asked.query:
        raise InvalidArguments(FieldError("q", "enter a question"))
    return asked.query


def _drawn(
    request: PageRequest, access: Access, toast: dict[str, Any] | None = None
) -> HttpResponse:
    """Render the comparison after an action; without htmx, redirect to it."""
    if not request.htmx:
        state = _asked(request, access)[0].state
        return redirect(f"{reverse('lab', args=[access.space.slug])}?{state}")
    context = _compared(request, access) | {"toast": toast}
    response = render(request, "memory/lab/_compared.html", context)
    response["HX-Retarget"], response["HX-Reswap"] = "#compared", "innerHTML"
    return response


def _compared(request: PageRequest, access: Access) -> dict[str, Any]:
    policy = current_policy(access.space)
    asked, wrong = reads.asked(request.GET, policy.document)
    saved = SavedQuery.objects.in_space(access.space).newest(MAX_SAVED)
    context: dict[str, Any] = {
        "asked": asked,
        "wrong": wrong,
        "space": access.space,
        "holds": policy.document.recall.profile,
        "saved": [(query, asked.with_query(query)) for query in saved],
        "is_saved": asked.query in saved,
    }
    if wrong or not asked.query:
        return context
    marked = _marked(access, asked.query)
    said = {mark.memory_id: mark.relevant for mark in marked}
    try:
        asker = reads.Asker(
            space=access.space, reader=access.reader, now=access.here(timezone.now())
        )
        columns = reads.columns(policy=policy, asked=asked, marks=said, **asker)
    except EmbeddingError as error:
        return context | {"error": str(error)}
    return context | {
        "columns": columns,
        "rows": max(len(column.rows) for column in columns),
        "marked": [(mark, _places(mark, columns)) for mark in marked[:MARKED]],
        "more_marked": len(marked) > MARKED,
    }


def _marked(access: Access, query: str) -> list[RelevanceMark]:
    """Return the question's marks, each with its memory; one more than is shown."""
    marks = RelevanceMark.objects.in_space(access.space).on(query)
    rows = marks.filter(memory__space_id=access.space.pk).select_related("memory")
    return list(
        rows.defer("memory__search").order_by("-relevant", "-created_at", "pk")[: MARKED + 1]
    )


def _places(mark: RelevanceMark, columns: list[reads.Column]) -> list[tuple[str, int | None]]:
    """Return each column's rank of the memory; None if the memory is not among the ten."""
    return [
        (
            column.label,
            next((row.place for row in column.rows if row.id == mark.memory_id), None),
        )
        for column in columns
    ]


def _form(asked: LabRequest) -> dict[str, Any]:
    names = [*asked.names, *[""] * (reads.MAX_COLUMNS - len(asked.names))]
    return {
        "slots": names,
        "profiles": PROFILE_CHOICES.items(),
        "own": OWN,
        "sliders": [
            (name, word, f"{asked.weights[name]:g}") for name, word in SIGNAL_WORDS.items()
        ],
        "heaviest": f"{reads.HEAVIEST:g}",
        "max_query": reads.MAX_QUERY,
    }
