"""JSON API of the review queue: listing, approving and rejecting memories."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from accounts.authentication import access_to
from foundation.http.pagination import clock_of, keyset
from foundation.http.requests import MemoryId, PageIn, may_fail
from memory.models import Memory
from memory.references import changeable, readable
from memory.review import services
from memory.review.schemas import HeldOut, ReviewList

router = Router(tags=["review"])


@router.get("review", response=ReviewList, url_name="review_list", operation_id="listReview")
def list_review(request: HttpRequest, asked: Query[PageIn]) -> dict[str, object]:
    """List the memories waiting for review, newest first, each with the reason."""
    access = access_to(request, "read")
    as_of = clock_of(asked.cursor, default=timezone.now())
    items, following = keyset("-created_at").page(
        readable(access.space, access.reader, as_of=as_of).in_review(),
        limit=asked.limit,
        cursor=asked.cursor,
        as_of=as_of,
    )
    return {"items": items, "next": following}


@router.post(
    "memories/{id}/approve",
    response=HeldOut,
    url_name="memories_approve",
    operation_id="approveMemory",
    openapi_extra=may_fail(409, 503),
)
def approve_memory(request: HttpRequest, id: MemoryId) -> Memory:
    """Approve a memory waiting for review and restart its lifetime.

    The memory is reconciled like a newly assessed one. The response is the memory that now contains
    the statement: an older one, if it says the same thing or was extended with it.
    """
    access = access_to(request, "write")
    holder = services.approve_memory(
        space=access.space,
        memory_id=changeable(access.space, access.reader, id).pk,
        actor=access.actor,
        now=timezone.now(),
    )
    return readable(access.space, access.reader).get(pk=holder.pk)


@router.post(
    "memories/{id}/reject",
    response=HeldOut,
    url_name="memories_reject",
    operation_id="rejectMemory",
    openapi_extra=may_fail(409),
)
def reject_memory(request: HttpRequest, id: MemoryId) -> Memory:
    """Reject a memory waiting for review and move it to the recycle bin."""
    access = access_to(request, "write")
    memory = changeable(access.space, access.reader, id)
    services.reject_memory(
        space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now()
    )
    return readable(access.space, access.reader).get(pk=memory.pk)
