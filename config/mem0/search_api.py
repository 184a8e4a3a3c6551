"""mem0's search: Ebb's recall, with mem0's filters."""

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
from memory.recall.recall import Result, SearchRequest, recall

USUAL_RESULTS = 10


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
    """Return the memories that fit the query best, of the user, agent and run that every memory
    must have."""
    wanted = SearchRequest(
        query,
        limit=limit,
        reader=_reader(access, condition),
        agent_id=condition.direct.get("agent_id"),
        session_id=condition.direct.get("run_id"),
    )
    return list(recall(access.space, wanted, now=timezone.now()).results)


def _reader(access: Access, condition: Filter) -> Reader:
    """Return the reader whose memories are ranked. Raises InvalidArguments for a filter that names
    several users, or one of them in OR or NOT."""
    if not condition.users:
        return access.reader
    if condition.users == {ANYBODY}:
        return reader_of(access, ANYBODY)
    [name, *others] = condition.users
    if others or condition.direct.get("user_id") != name:
        message = "a search names one user, outside OR and NOT; a list may name several"
        raise InvalidArguments(FieldError("filters", message))
    return Reader.exactly(reader_of(access, name).user_id)
