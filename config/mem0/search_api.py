"""mem0's search: Ebb's recall, with mem0's filters."""

from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from config.mem0.access import found_rows, reader_of
from config.mem0.filters import Filter
from config.mem0.schemas import MOST_RESULTS, SearchIn
from config.mem0.shapes import Json, memories_out, only_fields
from memory.access.authentication import Access, access_to
from memory.access.rate_limits import CallKind, count_call
from memory.errors import FieldError, InvalidArguments
from memory.names import ANYBODY
from memory.readers import Reader
from memory.recall.recall import SearchRequest, recall
from memory.recall.results import Result

USUAL_RESULTS = 10
MOST_USERS = 10
"""Users whom a search may name: the memories of each are ranked."""


def search(request: HttpRequest, asked: SearchIn) -> Json:
    """Return the memories that fit the query and the filters, the best first, each with its
    `score`. A search does not count as use."""
    access, condition = access_to(request, "read"), asked.condition()
    count_call(access, CallKind.SEARCH, now=timezone.now())
    limit = asked.top_k or asked.limit or USUAL_RESULTS
    # Conditions that recall does not know are checked on the memories that fit best.
    most = limit if condition.only_direct else MOST_RESULTS
    best = _best(access, condition, asked.query, most)
    kept = found_rows(access, condition).filter(pk__in=[one.memory.pk for one in best])
    ids = set(kept.values_list("pk", flat=True))
    fitting = [one for one in best if one.memory.pk in ids and one.score >= asked.threshold]
    shown = memories_out(access.space, [one.memory for one in fitting[:limit]])
    for memory, result in zip(shown, fitting, strict=False):
        memory.update(score=result.score, score_breakdown=result.contributions)
    return {"results": only_fields(shown, asked.fields_)}


def _best(access: Access, condition: Filter, query: str, limit: int) -> list[Result]:
    """Return the memories that fit the query best, the best first, of the users whom the filter
    names, and of the agent and run that every memory must have."""
    found: dict[UUID, Result] = {}
    for reader in _readers(access, condition):
        wanted = SearchRequest(
            query,
            limit=limit,
            reader=reader,
            agent_id=condition.direct.get("agent_id"),
            session_id=condition.direct.get("run_id"),
        )
        results = recall(access.space, wanted, now=access.here(timezone.now())).results
        found |= {one.memory.pk: one for one in results}
    return sorted(found.values(), key=lambda one: one.score, reverse=True)


def _readers(access: Access, condition: Filter) -> list[Reader]:
    """Return the readers whose memories are ranked. Raises InvalidArguments for too many users."""
    users = condition.users
    if ANYBODY in users:
        return [reader_of(access, ANYBODY)]
    if len(users) > MOST_USERS:
        message = f"a search names at most {MOST_USERS} users"
        raise InvalidArguments(FieldError("filters", message))
    named = [Reader.exactly(reader_of(access, name).user_id) for name in sorted(users)]
    # Memories of others, such as the shared ones, may fit a filter that no user must fit.
    return named if "user_id" in condition.direct else [*named, access.reader]
