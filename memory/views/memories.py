"""Pages: the list of memories with its search."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from memory.authentication import Access
from memory.drafts import MemoryChange
from memory.embeddings import EmbeddingError
from memory.formulas.importance import TYPE_IMPORTANCE
from memory.models import Memory
from memory.models.memories import MemoryType
from memory.pages import PageRequest, space_page
from memory.pagination import clock_of, keyset
from memory.querysets.policies import current_policy
from memory.recall import recall
from memory.services import memories as services
from memory.services import recycle_bin
from memory.tides import show

PAGE_SIZE = 50
SEARCH_RESULTS = 20
ORDERS = {
    "-created_at": _("newest first"),
    "-current_importance": _("most important now"),
    "expires_at": _("expires next"),
    "-use_count": _("most used"),
}


@require_GET
@space_page("read")
def memories(request: PageRequest, access: Access) -> HttpResponse:
    """All live memories, by type and in an order; or what a search finds, with its match."""
    kind = request.GET.get("type", "")
    kind = kind if kind in TYPE_IMPORTANCE else ""
    query = request.GET.get("q", "").replace("\x00", "").strip()
    try:
        found = _found(access, query, kind) if query else _listed(request, access, kind)
    except EmbeddingError as error:
        found = {"hits": [], "error": str(error)}
    context = found | {"q": query, "kind": kind, "types": MemoryType.choices, "orders": ORDERS}
    template = "memory/_list.html" if request.htmx else "memory/memories.html"
    return render(request, template, context)


def _listed(request: PageRequest, access: Access, kind: str) -> dict[str, Any]:
    cursor = request.GET.get("cursor") or None
    now = clock_of(cursor, default=timezone.now())
    policy = current_policy(access.space).document
    order = request.GET.get("order", "")
    order = order if order in ORDERS else "-created_at"
    rows = Memory.objects.in_space(access.space).live()
    total = rows.count()
    if kind:
        rows = rows.filter(memory_type=kind)
    page, following = keyset(order).page(
        rows.with_importance_now(decay=policy.decay, now=now),
        limit=PAGE_SIZE,
        cursor=cursor,
        as_of=now,
    )
    hits = [{"memory": memory} for memory in show(page, policy, now)]
    return {"hits": hits, "next": following, "order": order, "total": total}


def _found(access: Access, query: str, kind: str) -> dict[str, Any]:
    now = timezone.now()
    found = recall(
        space=access.space,
        query=query[:2000],
        now=now,
        limit=SEARCH_RESULTS,
        memory_types=[kind] if kind else [],
    )
    show([result.memory for result in found.results], found.policy.document, now)
    hits = [
        {
            "memory": result.memory,
            "match": result.match,
            "signals": {
                name: {"value": value, "contribution": result.contributions.get(name, 0.0)}
                for name, value in result.signals.items()
            },
        }
        for result in found.results
    ]
    return {"hits": hits, "took_ms": found.took_ms}


@require_POST
@space_page("write")
def let_go(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Moves a memory to the bin; the answer offers to take it back."""
    memory = get_object_or_404(Memory.objects.in_space(access.space), pk=memory_id)
    recycle_bin.delete_memory(
        space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now()
    )
    return render(request, "memory/_gone.html", {"memory": memory, "space": access.space})


@require_POST
@space_page("write")
def take_back(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Undoes `let_go`: the list is drawn anew."""
    memory = get_object_or_404(Memory.objects.in_space(access.space).binned(), pk=memory_id)
    recycle_bin.restore_memory(
        space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now()
    )
    response = HttpResponse(status=204)
    response["HX-Refresh"] = "true"
    return response


@require_POST
@space_page("write")
def pin(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Pins or unpins a memory and draws it anew."""
    memory = get_object_or_404(Memory.objects.in_space(access.space).live(), pk=memory_id)
    now = timezone.now()
    memory = services.revise_memory(
        space=access.space,
        memory_id=memory.pk,
        change=MemoryChange(pinned=not memory.pinned),
        actor=access.actor,
        now=now,
    )
    [memory] = show([memory], current_policy(access.space).document, now)
    return render(request, "memory/_card.html", {"memory": memory, "space": access.space})
