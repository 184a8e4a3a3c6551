"""mem0's search: Ebb's recall, with mem0's filters."""

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from accounts.authentication import Access, access_to
from accounts.limits.rate_limits import CallKind, count_call
from endpoints.mem0.access import searched
from endpoints.mem0.filters import Filter
from endpoints.mem0.schemas import SearchIn
from endpoints.mem0.shapes import Json, memories_out, only_fields
from foundation.readers import Reader
from memory.models import Status
from memory.recall.recall import SearchRequest, recall

USUAL_RESULTS = 10


def search(request: HttpRequest, asked: SearchIn) -> Json:
    """Return the memories that fit the query and the filters, the best first, each with its
    `score`. A search does not count as use."""
    access, condition = access_to(request, "read"), asked.condition()
    now = access.here(timezone.now())
    count_call(access, CallKind.SEARCH, now=now)
    limit = asked.top_k or asked.limit or USUAL_RESULTS
    wanted = _wanted(access, condition, asked.query, limit)
    best = [
        one
        for one in recall(access.space, wanted, now=now).results
        if one.score >= asked.threshold and one.memory.status == Status.LIVE
    ]
    shown = memories_out(access.space, [one.memory for one in best])
    for memory, result in zip(shown, best, strict=True):
        memory.update(score=result.score, score_breakdown=result.contributions)
    return {"results": only_fields(shown, asked.fields_)}


def _wanted(access: Access, condition: Filter, query: str, limit: int) -> SearchRequest:
    """Return the search among the memories that the filter finds. The memories of one user are
    searched by the user's name, which is faster than by a condition."""
    reader, where = searched(access, condition)
    if not condition.only_direct or "user_id" not in condition.direct:
        return SearchRequest(query, limit=limit, reader=reader, where=where & Q(status="live"))
    return SearchRequest(
        query,
        limit=limit,
        reader=Reader.exactly(condition.direct["user_id"]),
        agent_id=condition.direct.get("agent_id"),
        session_id=condition.direct.get("run_id"),
    )
