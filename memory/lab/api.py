"""JSON API for marking a memory as relevant to a question or not."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router

from accounts.authentication import access_to
from accounts.models import User
from foundation.http.requests import MemoryId
from memory.lab.relevance import mark_relevance
from memory.lab.schemas import RelevanceIn, RelevanceOut
from memory.models import RelevanceMark
from memory.references import changeable

router = Router(tags=["memories"])


@router.post(
    "memories/{id}/relevance",
    response=RelevanceOut,
    url_name="memories_relevance",
    operation_id="markRelevance",
)
def mark(request: HttpRequest, id: MemoryId, asked: RelevanceIn) -> RelevanceMark:
    """Label a memory as relevant to a question, or not. A new label replaces the earlier one.

    Labels measure rankings. They also count in the adjustment of the memory's importance.
    """
    access = access_to(request, "write")
    return mark_relevance(
        space=access.space,
        query=asked.query,
        memory_id=changeable(access.space, access.reader, id).pk,
        relevant=asked.relevant,
        user=request.user if isinstance(request.user, User) else None,
        now=timezone.now(),
    )
