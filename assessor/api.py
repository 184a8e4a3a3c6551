"""JSON API: assess an exchange now, queue it, and read assessments and statistics."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router, Status

from assessor import services
from assessor.assessing import AssessmentResult, Exchange, names_model
from assessor.exchanges import earlier_texts, ignored, unsaved
from assessor.gate import GATE_HEADER
from assessor.gate.exchanges import gate_of
from assessor.immediate import assess_now
from assessor.models import Assessment, State
from assessor.schemas import (
    AssessmentList,
    AssessmentListIn,
    AssessmentOut,
    AssessOut,
    ExchangeIn,
    QueuedOut,
    StatsOut,
)
from assessor.screening import assessed_part, mask_exchange
from memory.access.authentication import Access, access_to
from memory.access.rate_limits import CallKind, count_call
from memory.access.references import check_change
from memory.connections import release_connection
from memory.errors import NotFound
from memory.leases import database_now
from memory.model_connections.choosing import ChosenModel, chosen_model
from memory.models import Memory, Purpose
from memory.models.policies import current_policy
from memory.pagination import keyset
from memory.policy import PolicyDocument
from memory.requests import OnceOnly, RowId, may_fail, parse_uuid
from memory.retention.overview import came_and_went, overview
from memory.store.idempotency import key_of

router = Router(tags=["assessment"])


@router.post(
    "assess",
    response=AssessOut,
    url_name="assess",
    operation_id="assess",
    openapi_extra=may_fail(503),
)
async def assess(request: HttpRequest, response: HttpResponse, asked: ExchangeIn) -> dict[str, Any]:
    """Assess an exchange and return the result. Nothing is stored unless `store` is true.

    A key needs the scope `write` to store, and to ask a model, because a model may cost money.
    """
    access = access_to(request, "write" if asked.store else "read", asked.user_id)
    if gated := gate_of(asked.exchange(access.owner)):
        response.headers[GATE_HEADER] = gated
        return {"assessment": ignored(asked.exchange(access.owner), gated), "memory": None}
    exchange, policy, chosen, earlier = await sync_to_async(_prepared)(access, asked)
    assessed = await sync_to_async(assessed_part, thread_sensitive=False)(exchange)
    result = await assess_now(access.space, assessed, policy, chosen, earlier)
    if not (asked.store and access.learns):
        return {"assessment": unsaved(exchange, result, policy), "memory": None}
    return await sync_to_async(_store)(access, exchange, result)


_Prepared = tuple[Exchange, PolicyDocument, ChosenModel | None, list[str]]


def _prepared(access: Access, asked: ExchangeIn) -> _Prepared:
    """Return the exchange with secrets masked, the policy, the model, and the stored messages
    before it in its conversation.

    Releases the database connection before the model is asked. Raises Forbidden and RateLimited.
    """
    document, now = current_policy(access.space).document, timezone.now()
    chosen = chosen_model(Purpose.ASSESS, access.space)
    exchange = asked.exchange(access.owner)
    may_ask_model = chosen is not None and names_model(exchange, document)
    if may_ask_model:
        access.require("write")
    count_call(access, CallKind.ASSESS if may_ask_model else CallKind.SEARCH, now=now)
    earlier = earlier_texts(exchange, access.space, before=now)
    release_connection()
    if document.assessment.mask_secrets:
        exchange = mask_exchange(exchange)
    return exchange, document, chosen, earlier


def _store(access: Access, exchange: Exchange, result: AssessmentResult) -> dict[str, Any]:
    now = timezone.now()
    assessment = services.store_assessed(
        space=access.space, exchange=exchange, result=result, now=now
    )
    decay = current_policy(access.space).document.decay
    memories = Memory.objects.in_space(access.space).with_importance_now(decay=decay, now=now)
    memory = memories.filter(pk=assessment.memory_id).first() if assessment.memory_id else None
    return {"assessment": assessment, "memory": memory}


@router.post(
    "assessments",
    response={202: QueuedOut},
    url_name="assessments_create",
    operation_id="queueAssessment",
)
def queue_assessment(
    request: HttpRequest,
    response: HttpResponse,
    asked: ExchangeIn,
    idempotency_key: OnceOnly = None,
) -> Status[dict[str, Any]]:
    """Queue an exchange for assessment.

    It is stored at once, and a worker assesses it exactly once. An exchange without a person's own
    words is ignored, with the reason in the header `X-Ebb-Gate`.
    """
    access = access_to(request, "write", asked.user_id)
    exchange = asked.exchange(access.owner)
    if gated := gate_of(exchange):
        response.headers[GATE_HEADER] = gated
    assessment = services.queue_assessment(
        space=access.space,
        exchange=exchange,
        now=database_now(),
        idempotency_key=key_of(idempotency_key, access.reader),
        learns=access.learns,
    )
    return Status(202, {"id": assessment.pk, "status": assessment.state})


@router.get(
    "assessments",
    response=AssessmentList,
    url_name="assessments_list",
    operation_id="listAssessments",
)
def list_assessments(request: HttpRequest, asked: Query[AssessmentListIn]) -> dict[str, Any]:
    """List the space's assessments, newest first."""
    access = access_to(request, "read")
    rows = Assessment.objects.in_space(access.space).readable_by(access.reader)
    rows = rows.select_related("memory")
    if asked.status:
        rows = rows.filter(state=asked.status)
    items, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    return {"items": items, "next": following}


def _one(access: Access, reference: str) -> Assessment:
    rows = Assessment.objects.in_space(access.space).readable_by(access.reader)
    found = rows.filter(pk=parse_uuid(reference)).first()
    if found is None:
        raise NotFound("Assessment not found.")
    return found


@router.get(
    "assessments/{id}",
    response=AssessmentOut,
    url_name="assessments_get",
    operation_id="getAssessment",
)
def get_assessment(request: HttpRequest, id: RowId) -> Assessment:
    """Return one assessment."""
    return _one(access_to(request, "read"), id)


@router.post(
    "assessments/{id}/retry",
    response={202: QueuedOut},
    url_name="assessments_retry",
    operation_id="retryAssessment",
    openapi_extra=may_fail(409),
)
def retry_assessment(request: HttpRequest, id: RowId) -> Status[dict[str, Any]]:
    """Queue a failed assessment again."""
    access = access_to(request, "write")
    assessment = _one(access, id)
    check_change(access.reader, assessment)
    services.retry(space=access.space, assessment_id=assessment.pk, now=database_now())
    return Status(202, {"id": assessment.pk, "status": State.QUEUED})


@router.get(
    "stats", response=StatsOut, url_name="stats", operation_id="getStats", tags=["memories"]
)
def get_stats(request: HttpRequest) -> StatsOut:
    """Return the space's statistics: active memories, daily changes and waiting assessments."""
    access, now = access_to(request, "read"), timezone.now()
    asked: dict[str, Any] = {"space": access.space, "reader": access.reader, "now": now}
    found = overview(**asked)
    rows = Assessment.objects.in_space(access.space).readable_by(access.reader)
    return StatsOut.model_validate(
        {
            **vars(found),
            "days": came_and_went(**asked),
            "assessments": rows.counted_by_state(),
        }
    )
