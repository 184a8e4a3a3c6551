"""The JSON API with the routers of all apps."""

from typing import Literal

from django.http import HttpRequest
from ninja import Router, Schema, Status, Swagger
from pydantic import RootModel

from accounts.authentication import BearerKey, SessionAccess
from assessor.api import router as assessor_router
from chat.api import router as chat_router
from config.api.json_answers import JsonAnswers
from config.api.openapi import DescribedAPI
from endpoints import errors
from endpoints.portable_openapi import LICENCE, SERVERS
from memory.api import router as memory_router
from operations.monitoring.health import check_ready, has_database
from operations.monitoring.status import check_status, failing_connections

health = Router(tags=["health"], auth=None)


class PartsOut(RootModel[dict[str, str]]):
    """The state of each part: "ok" or a sentence about the fault."""


@health.get("live", response=PartsOut, url_name="health_live", operation_id="healthLive")
def live(request: HttpRequest) -> dict[str, str]:
    """Report that the process is running."""
    return {"status": "ok"}


@health.get(
    "ready",
    response={200: PartsOut, 503: PartsOut},
    url_name="health_ready",
    operation_id="healthReady",
)
def ready(request: HttpRequest) -> Status[dict[str, str]]:
    """Report whether this process can serve pages and searches: each part and its state.

    The status is 503 if a part does not work. Workers and models are not checked.
    """
    parts = check_ready()
    return Status(200 if all(state == "ok" for state in parts.values()) else 503, parts)


class StatusOut(Schema):
    """The state of the parts behind the web processes: "ok" or a sentence about the fault."""

    status: Literal["ok", "degraded"]
    worker: str
    beat: str
    queue: str
    model: str
    queue_age_seconds: float | None
    stuck: int | None
    connections: int | None
    failing_connections: int | None


@health.get("status", response=StatusOut, url_name="health_status", operation_id="healthStatus")
def status(request: HttpRequest) -> StatusOut:
    """Report the worker, the scheduler (beat), the queue and the models.

    `queue_age_seconds` is the age of the oldest due exchange, `stuck` the number of tasks that a
    worker abandoned. Both are null without a database.
    """
    found = check_status(has_database=has_database())
    queue = found.queue
    failing, total = failing_connections() if queue else (None, None)
    return StatusOut(
        status="degraded" if failing or not found.is_ok else "ok",
        queue_age_seconds=queue.age.total_seconds() if queue else None,
        stuck=queue.stuck if queue else None,
        connections=total,
        failing_connections=failing,
        **found.parts,
    )


api = DescribedAPI(
    title="Ebb",
    version="1",
    description="Long-term memory for chat assistants.",
    auth=[BearerKey(), SessionAccess()],
    docs=Swagger(settings={"persistAuthorization": True}),
    renderer=JsonAnswers(),
    urls_namespace="api",
    servers=SERVERS,
    openapi_extra=LICENCE,
)
errors.install(api)
api.add_router("health/", health)
api.add_router("", memory_router)
api.add_router("", assessor_router)
api.add_router("", chat_router)
