"""mem0's calls to add messages, and to look at the state of queued ones."""

from asgiref.sync import sync_to_async
from django.http import HttpRequest

from accounts.authentication import access_to
from assessor.errors import AssessmentError
from assessor.models import Assessment, State
from endpoints.mem0.access import opens, reader_by_id
from endpoints.mem0.adding import Turns, learn_now, queue_turns, save_messages, turns_of
from endpoints.mem0.schemas import AddIn
from endpoints.mem0.shapes import QUEUED, STATUSES, Json, results_out, saved_out
from foundation.errors import NotFound
from foundation.http.requests import parse_uuid


async def add(request: HttpRequest, asked: AddIn) -> Json:
    """Assess the messages and return the memories that were added or updated.

    With `async_mode`, or if the assessor's model gives no answer, they are queued and the answer
    says so. With `infer` false each message is saved as it is.
    """
    access = access_to(request, "write", asked.user_id)
    if not asked.infer:
        memories = await sync_to_async(save_messages)(asked, access)
        saved = [saved_out(memory, "ADD" if is_new else "NOOP") for memory, is_new in memories]
        return {"message": "Memories saved.", "status": "SUCCEEDED", "results": saved}
    turns = turns_of(asked, access)
    if asked.async_mode:
        return await sync_to_async(_queued)(turns)
    try:
        assessments = await learn_now(turns)
    except AssessmentError:
        return await sync_to_async(_queued)(turns)
    event = {"event_id": str(assessments[0].pk)} if assessments else {}
    return {"status": "SUCCEEDED", **event, "results": results_out(assessments)}


def _queued(turns: Turns) -> Json:
    """Queue the exchanges; return the event of each, and that of the first beside them."""
    events = [_event(one) for one in queue_turns(turns)]
    return {**events[0], "results": events}


def _event(assessment: Assessment) -> Json:
    status = STATUSES[State(assessment.state)]
    return {"message": QUEUED, "status": status, "event_id": str(assessment.pk)}


def get_event(request: HttpRequest, event_id: str) -> Json:
    """Return the state of an exchange that `add` queued, and its result when it is done."""
    access = access_to(request, "read")
    rows = Assessment.objects.in_space(access.space).readable_by(reader_by_id(access))
    found = rows.select_related("memory").filter(pk=parse_uuid(event_id)).first()
    if found is None or not opens(access, found):
        raise NotFound("Event not found.")
    ended = found.finished_at
    return {
        "id": str(found.pk),
        "event_type": "ADD",
        "status": STATUSES[State(found.state)],
        "payload": {"user_id": found.user_id, "agent_id": found.agent_id},
        "results": results_out([found]),
        "created_at": found.created_at.isoformat(),
        "updated_at": (ended or found.created_at).isoformat(),
        "completed_at": ended.isoformat() if ended else None,
        "latency": found.latency_ms,
        "error": found.error or None,
    }
