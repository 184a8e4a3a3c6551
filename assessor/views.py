"""Pages with the assessments of a space, and with one assessment and a second opinion."""

from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import AddressForm, OneOf, SentText, uuid_in
from accounts.limits.rate_limits import CallKind, count_call
from accounts.pages import PageRequest, page_access, space_page, too_many
from assessor.assessing import Exchange
from assessor.errors import AssessmentError
from assessor.lessons import lessons_of
from assessor.models import Assessment, AssessmentQuerySet, State
from assessor.outbox import services
from assessor.reassessing import latest_reassessing, start_reassessing, to_assess
from assessor.saving.exchanges import earlier_texts, joined, span_of, unsaved
from assessor.saving.immediate import assess_now
from assessor.screening import mask_exchange
from assessor.statistics.gate_counts import gated_lately
from assessor.statistics.inspection import figures_by_model, figures_of, models_of
from assessor.statistics.tiles import columns, model_row, tiles
from foundation.database.connections import release_connection
from foundation.errors import Conflict, RateLimited
from foundation.http.pagination import keyset
from memory.jobs.views import job_context, show_job
from memory.model_connections.choosing import ChosenModel, chosen_model
from memory.models import Memory, Purpose
from memory.models.policies import current_policy
from memory.models.reasons import quote_of
from memory.policy import PolicyDocument

PAGE_SIZE = 30
LOOKED_AT = 5000
"""Number of exchanges that one text search examines; the next page continues further back."""
# The words of templates/_assessment_state.html, so that filters and rows use the same ones.
STATES = {
    State.QUEUED: _("waiting for assessment"),
    State.RUNNING: _("being assessed"),
    State.RETRYING: _("will be retried"),
    State.DONE: _("saved"),
    State.IGNORED: _("not saved"),
    State.FAILED: _("assessment failed"),
}
RUBRICS = {
    "facts": _("facts: one list"),
    "graded": _("graded: one score"),
    "facets": _("facets: five scores"),
}
ASSESSORS = {
    "llm": _("a language model"),
    "cascade": _("a language model when the built-in assessor is unsure"),
    "local": _("the built-in assessor"),
}


class _Filters(AddressForm):
    state = OneOf(STATES)
    q = SentText()
    model = SentText()


@require_GET
@space_page("read")
def waiting(request: PageRequest, access: Access) -> HttpResponse:
    """Render the overview's fragment with the number of exchanges in each unfinished state."""
    counted = (
        Assessment.objects.in_space(access.space).readable_by(access.reader).counted_by_state()
    )
    unfinished = (State.QUEUED, State.RUNNING, State.RETRYING, State.FAILED)
    states = [(state, STATES[state], counted[state]) for state in unfinished if counted[state]]
    return render(request, "assessor/_waiting.html", {"states": states})


@require_GET
@space_page("read")
def assessments(request: PageRequest, access: Access) -> HttpResponse:
    """Render all assessments, newest first, filtered by state, assessor and text."""
    asked = _Filters.read(request.GET)
    state, query, model = asked["state"], asked["q"], asked["model"]
    found = keyset("-created_at").searched(
        _by(access, state, model),
        (lambda rows: rows.saying(query)) if query else None,
        limit=PAGE_SIZE,
        cursor=request.GET.get("cursor") or None,
        through=LOOKED_AT,
    )
    context = asked | {
        "assessments": found.rows,
        "next": found.following,
        "until": found.until,
    }
    if "cursor" not in request.GET:
        context |= _again(access, model, state)
    if request.htmx:
        return render(request, "assessor/_list.html", context)
    context |= {"states": STATES.items(), "models": models_of(access.space, timezone.now())}
    return render(request, "assessor/assessments.html", context)


def _by(access: Access, state: str, model: str) -> AssessmentQuerySet:
    """Return the space's assessments in this state and by this model; "" means any."""
    rows: AssessmentQuerySet = Assessment.objects.in_space(access.space).readable_by(access.reader)
    if state:
        rows = rows.filter(state=state)
    if model:
        rows = rows.filter(model=model)
    rows = rows.prefetch_related(lessons_of(access.space))
    return rows.defer("raw_answer", "context", "failed_tries")


def _again(access: Access, model: str, state: str) -> dict[str, Any]:
    """Return the reassessment job's progress and, for admins, the number of exchanges it would
    assess.
    """
    context = job_context(latest_reassessing(access.space))
    if "admin" in access.scopes and (model or state == State.FAILED):
        context["again"] = to_assess(access.space, model=model).count()
    return context


@require_GET
@space_page("read")
def figures(request: PageRequest, access: Access) -> HttpResponse:
    """Render the fragment with the assessment figures and their targets."""
    space, now = access.space, timezone.now()
    store_above = current_policy(space).document.assessment.store_above
    found = figures_of(space=space, store_above=store_above, now=now)
    models = [model_row(one) for one in figures_by_model(space=space, now=now)]
    context = {"figures": found, "tiles": tiles(found), "models": models, "columns": columns()}
    context["gated"] = gated_lately(space=space, now=now)
    return render(request, "assessor/_figures.html", context)


@require_POST
@space_page("admin")
def again(request: PageRequest, access: Access) -> HttpResponse:
    """Start the job that assesses failed exchanges, or the exchanges of the form's model, again."""
    model = SentText().clean(request.POST.get("model"))
    now = timezone.now()
    with suppress(Conflict):  # the running job is shown
        start_reassessing(space=access.space, model=model, actor=access.actor, now=now)
    return show_job(request, latest_reassessing(access.space))


@require_GET
@space_page("read")
def assessment(request: PageRequest, access: Access, assessment_id: UUID) -> HttpResponse:
    """Render one assessment; for htmx only the part that changes while it is unfinished."""
    template = "assessor/_stored.html" if request.htmx else "assessor/assessment.html"
    return render(request, template, _one(access, assessment_id))


@require_GET
@space_page("read")
def evidence(request: PageRequest, access: Access, assessment_id: UUID) -> HttpResponse:
    """Render a fragment with the exchange and the words marked that sent this memory to review."""
    rows = Assessment.objects.in_space(access.space).readable_by(access.reader)
    found = get_object_or_404(rows, pk=assessment_id)
    memories = Memory.objects.in_space(access.space).readable_by(access.reader)
    held = memories.filter(pk=uuid_in(request.GET.get("memory")), source_assessment=found.pk)
    context = {
        "exchanges": [found, *_parts(access, found)],
        "quote": quote_of(held.values_list("review_reason", flat=True).first() or ""),
    }
    return render(request, "assessor/_evidence.html", context)


def _parts(access: Access, first: Assessment) -> AssessmentQuerySet:
    """Return the other exchanges of a span, in order."""
    parts = Assessment.objects.in_space(access.space).filter(part_of=first)
    return parts.order_by("created_at", "pk")


def _one(access: Access, assessment_id: UUID) -> dict[str, Any]:
    """Return the context of one assessment's page; raises Http404."""
    rows = (
        Assessment.objects.in_space(access.space)
        .readable_by(access.reader)
        .select_related("part_of")
    )
    found = get_object_or_404(rows, pk=assessment_id)
    policy = current_policy(access.space).document
    has_model = chosen_model(Purpose.ASSESS, access.space) is not None
    return {
        "assessment": found,
        "policy": policy,
        "whole": found.part_of or found,
        "parts": _parts(access, found),
        "store_above": policy.assessment.store_above,
        "has_model": has_model,
        "assessors": ASSESSORS.items(),
        "assessor": "llm" if has_model else "local",
        "rubrics": RUBRICS.items(),
        "rubric": "facets" if found.rubric == "graded" else "graded",
    }


@require_POST
@space_page("write")
def retry(request: PageRequest, access: Access, assessment_id: UUID) -> HttpResponse:
    """Requeue a failed assessment. One in another state is shown unchanged."""
    get_object_or_404(
        Assessment.objects.in_space(access.space).readable_by(access.reader), pk=assessment_id
    )
    with suppress(Conflict):
        services.retry(space=access.space, assessment_id=assessment_id, now=timezone.now())
    if not request.htmx:
        return redirect("assessment", access.space.slug, assessment_id)
    return render(request, "assessor/_stored.html", _one(access, assessment_id))


@require_POST
@login_required
async def reassess(request: PageRequest, slug: str, assessment_id: UUID) -> HttpResponse:
    """Assess the exchange with the form's options and show the result; nothing is stored."""
    user = await request.auser()
    try:
        asked = await sync_to_async(_asked)(request, user, slug, assessment_id)
    except RateLimited as error:
        return await sync_to_async(too_many)(request, error)
    access, exchange, policy, chosen, earlier = asked
    outcome: dict[str, Any] = {"assessor": exchange.provider, "rubric": exchange.rubric}
    try:
        result = await assess_now(access.space, exchange, policy, chosen, earlier)
        outcome["again"] = unsaved(exchange, result, policy)
    except AssessmentError as error:
        outcome["error"] = str(error)
    return await sync_to_async(_second_opinion)(request, access, assessment_id, outcome)


def _asked(
    request: PageRequest, user: Any, slug: str, assessment_id: UUID
) -> tuple[Access, Exchange, PolicyDocument, ChosenModel | None, list[str]]:
    """Return the exchange to assess and the messages before it. Releases the connection, because a
    model is asked next.
    """
    access = page_access(user, slug, "write")
    count_call(access, CallKind.ASSESS, now=timezone.now())
    rubric, provider = request.POST.get("rubric", ""), request.POST.get("provider", "")
    if rubric not in RUBRICS or provider not in ASSESSORS:
        raise BadRequest("Unknown rubric or assessor.")
    stored = get_object_or_404(
        Assessment.objects.in_space(access.space).readable_by(access.reader), pk=assessment_id
    )
    policy = current_policy(access.space).document
    exchange = joined(span_of(stored))
    chosen = chosen_model(Purpose.ASSESS, access.space)
    earlier = earlier_texts(exchange, access.space, before=stored.created_at)
    release_connection()
    if policy.assessment.mask_secrets:  # an unclaimed exchange still contains them
        exchange = mask_exchange(exchange)
    exchange = replace(exchange, rubric=rubric, provider=provider)
    return access, exchange, policy, chosen, earlier


def _second_opinion(
    request: PageRequest, access: Access, assessment_id: UUID, outcome: dict[str, Any]
) -> HttpResponse:
    request.access = access
    context = _one(access, assessment_id) | outcome
    template = "assessor/_again.html" if request.htmx else "assessor/assessment.html"
    return render(request, template, context)
