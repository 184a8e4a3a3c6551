"""Proposals in the review inbox: what would become of which memories, and the decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict
from memory.consolidation import services
from memory.consolidation.consolidation_job import latest_consolidation, start_consolidation
from memory.consolidation.effect import effect_of
from memory.consolidation.undo import undo_action
from memory.embeddings import EmbeddingError
from memory.jobs.views import job_context
from memory.models import ConsolidationProposal, Memory, SavedQuery
from memory.models.consolidation import ProposalQuerySet
from memory.retention.removals import consolidated_into
from memory.selection import selected_ids

SHOWN = 20


@dataclass(frozen=True)
class Item:
    """A proposal with the memories that it would move to the bin, and the text that stays."""

    proposal: ConsolidationProposal
    before: Sequence[Memory]
    after: str


@require_GET
@space_page("read")
def consolidation(request: PageRequest, access: Access) -> HttpResponse:
    """Show the open proposals, the surest first; for htmx as a part of the review page."""
    part, page = "memory/consolidation/_proposals.html", "memory/consolidation/consolidation.html"
    return render(request, part if request.htmx else page, _listed(access))


@require_POST
@space_page("write")
def start(request: PageRequest, access: Access) -> HttpResponse:
    """Start looking for proposals, or show the job that is running already."""
    now = timezone.now()
    try:
        start_consolidation(space=access.space, reader=access.reader, actor=access.actor, now=now)
    except Conflict:
        said = _("Ebb is already looking for memories to consolidate.")
        return _drawn(request, access, said, "info")
    return _drawn(request, access)


@require_POST
@space_page("write")
def decide(request: PageRequest, access: Access) -> HttpResponse:
    """Accept the chosen proposals (`?decision=accept`) or reject them, and redraw the list."""
    ids = selected_ids(request.POST)
    chosen = list(_open(access).filter(pk__in=ids).order_by("created_at", "pk"))
    now = timezone.now()
    if request.GET.get("decision") != "accept":
        n = services.reject_proposals(space=access.space, proposals=chosen, now=now)
        said = ngettext("%(n)d proposal rejected.", "%(n)d proposals rejected.", n)
        return _drawn(request, access, said % {"n": n}, "success")
    try:
        done = services.apply_proposals(
            space=access.space, proposals=chosen, actor=access.actor, now=now
        )
    except EmbeddingError:
        said = _("The embedding model does not answer. Nothing was changed. Try again later.")
        return _drawn(request, access, said, "error")
    return _drawn(request, access, _said(done), "success", _undo_url(access, done.action_id))


@require_POST
@space_page("write")
def effect(request: PageRequest, access: Access) -> HttpResponse:
    """Return a fragment: how the results of saved questions change if the proposal is accepted.
    Nothing is changed."""
    rows = _open(access).filter(pk__in=selected_ids(request.POST))
    context: dict[str, Any] = {"effect": None, "failed": False}
    if proposal := rows.first():
        try:
            context["effect"] = effect_of(space=access.space, proposal=proposal, now=timezone.now())
        except EmbeddingError:
            context["failed"] = True
    return render(request, "memory/consolidation/_effect.html", context)


@require_POST
@space_page("write")
def undo(request: PageRequest, access: Access, action_id: UUID) -> HttpResponse:
    """Undo an accepted proposal, or a run, and reload the page."""
    undone = undo_action(
        space=access.space,
        reader=access.reader,
        action_id=action_id,
        actor=access.actor,
        now=timezone.now(),
    )
    n = undone.restored
    messages.info(
        request, ngettext("%(n)d memory restored.", "%(n)d memories restored.", n) % {"n": n}
    )
    return HttpResponseClientRefresh()


@require_GET
@space_page("read")
def links(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Render a fragment of a memory's page: the memories that became this one, or the memory that
    it became; empty for others."""
    rows = Memory.objects.in_space(access.space).readable_by(access.reader).defer("search")
    one = get_object_or_404(rows, pk=memory_id)
    made = ConsolidationProposal.objects.in_space(access.space).applied().filter(result_id=one.pk)
    sources = {pk for proposal in made for pk in proposal.removed}
    became = consolidated_into([one], access.space).values()
    context = {
        "sources": rows.filter(pk__in=sources).order_by("created_at", "source_position", "pk"),
        "became": rows.filter(pk__in=became).first(),
    }
    return render(request, "memory/consolidation/_links.html", context)


def _open(access: Access) -> ProposalQuerySet:
    rows: ProposalQuerySet = ConsolidationProposal.objects.in_space(access.space)
    return rows.readable_by(access.reader).open()


def _listed(access: Access) -> dict[str, Any]:
    rows = list(_open(access).order_by("-confidence", "-created_at", "pk")[: SHOWN + 1])
    return {
        "proposals": _items(access, rows[:SHOWN]),
        "more": len(rows) > SHOWN,
        "has_saved": SavedQuery.objects.in_space(access.space).exists(),
        **job_context(latest_consolidation(access.space)),
    }


def _items(access: Access, proposals: Sequence[ConsolidationProposal]) -> list[Item]:
    """Return the proposals with the texts of their memories, read at once."""
    wanted = {pk for one in proposals for pk in one.sources}
    found = Memory.objects.in_space(access.space).defer("search").in_bulk(wanted)
    items = []
    for one in proposals:
        kept = found.get(one.sources[-1])
        after = one.result["content"] if one.result else kept.content if kept else ""
        items.append(Item(one, [found[pk] for pk in one.removed if pk in found], after))
    return items


def _said(done: services.Applied) -> str:
    text = ngettext("%(n)d proposal applied.", "%(n)d proposals applied.", done.applied)
    if not done.outdated:
        return text % {"n": done.applied}
    left = ngettext(
        "%(n)d not applied: its memories have changed.",
        "%(n)d not applied: their memories have changed.",
        done.outdated,
    )
    return f"{text % {'n': done.applied}} {left % {'n': done.outdated}}"


def _undo_url(access: Access, action_id: UUID | None) -> str:
    if action_id is None:
        return ""
    return reverse("consolidation_undo", args=[access.space.slug, action_id])


def _drawn(
    request: PageRequest, access: Access, text: str = "", level: str = "", undo_url: str = ""
) -> HttpResponse:
    """Redraw the list with a message; without htmx, return to the page."""
    if not request.htmx:
        if text:
            messages.info(request, text)
        return redirect("consolidation", access.space.slug)
    context = _listed(access) | {"text": text, "level": level, "undo_url": undo_url}
    return render(request, "memory/consolidation/_decided.html", context)
