"""The JSON API with the routers of all apps."""

from django.http import HttpRequest
from ninja import Router, Status, Swagger

from assessor.api import router as assessor_router
from chat.api import router as chat_router
from config import errors
from config.health import check_ready
from config.openapi import DescribedAPI
from memory.access.authentication import BearerKey, SessionAccess
from memory.api import router as memory_router

health = Router(tags=["health"], auth=None)


@health.get("live", response=dict[str, str], url_name="health_live", operation_id="healthLive")
def live(request: HttpRequest) -> dict[str, str]:
    """Report that the process is running."""
    return {"status": "ok"}


@health.get(
    "ready",
    response={200: dict[str, str], 503: dict[str, str]},
    url_name="health_ready",
    operation_id="healthReady",
)
def ready(request: HttpRequest) -> Status[dict[str, str]]:
    """Report each required part and its state. The status is 503 if a part does not work."""
    parts = check_ready()
    return Status(200 if all(state == "ok" for state in parts.values()) else 503, parts)


api = DescribedAPI(
    title="Ebb",
    version="1",
    description="Long-term memory for chat assistants.",
    auth=[BearerKey(), SessionAccess()],
    docs=Swagger(settings={"persistAuthorization": True}),
    urls_namespace="api",
)
errors.install(api)
api.add_router("health/", health)
api.add_router("", memory_router)
api.add_router("", assessor_router)
api.add_router("", chat_router)
