"""The API below /mem0/: its authentication, its paths, and the calls without a counterpart."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI, Path, Router
from ninja.errors import HttpError

from accounts.authentication import BearerKey, access_to
from endpoints.mem0 import adding_api, entities_api, errors, memories_api, search_api
from endpoints.mem0.shapes import Json
from foundation.errors import NotFound

NO_COUNTERPART = {
    "v1/feedback": "Ebb takes no feedback on memories. Change or delete the memory instead.",
    "v1/exports": "Ebb exports a whole space: GET /api/v1/export.",
    "v1/summary": "Ebb makes no summaries of memories.",
    "v1/events": "Ebb lists no events. Read one by its id: GET /mem0/v1/event/ID/.",
    "v1/stats": "Ebb's statistics are at GET /api/v1/stats.",
    "v2/entities": "Ebb makes no profiles of users. Search the user's memories instead.",
    "v2/profiles": "Ebb makes no profiles of users. Search the user's memories instead.",
    "api/v1/webhooks": "Webhooks are in Ebb's settings, and at /api/v1/webhooks.",
    "api/v1/orgs": "Ebb has no organisations and projects. A space's policy is at /api/v1/policy.",
}
"""Beginnings of unsupported paths that mem0's clients call, and what to use instead."""


class TokenKey(BearerKey):
    """Authentication by `Authorization: Token KEY`, as mem0's clients send it."""

    openapi_scheme = "token"


def ping(request: HttpRequest) -> Json:
    """Report that the key is valid. The project is the key's space."""
    access = access_to(request, "read")
    return {
        "status": "ok",
        "org_id": "ebb",
        "project_id": access.space.slug,
        "user_email": None,
    }


def refuse_profile(request: HttpRequest, entity_type: Path[str], name: Path[str]) -> Json:
    """Answer a call for the profile of a user with an error that says what to use instead."""
    return refuse(request, "v2/entities")


def refuse(request: HttpRequest, wanted: Path[str]) -> Json:
    """Answer any other call with an error that says what to use instead."""
    for beginning, advice in NO_COUNTERPART.items():
        if f"{wanted}/".startswith(f"{beginning}/"):
            raise HttpError(501, advice)
    raise NotFound("Ebb has no counterpart for this mem0 call.")


ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", "v1/ping", ping),
    ("POST", "v1/memories", adding_api.add),
    ("POST", "v3/memories/add", adding_api.add),
    ("GET", "v1/event/{event_id}", adding_api.get_event),
    ("POST", "v1/memories/search", search_api.search),
    ("POST", "v2/memories/search", search_api.search),
    ("POST", "v3/memories/search", search_api.search),
    ("GET", "v1/memories", memories_api.list_by_address),
    ("POST", "v2/memories", memories_api.list_memories),
    ("POST", "v3/memories", memories_api.list_memories),
    ("DELETE", "v1/memories", memories_api.delete_all),
    ("GET", "v1/memories/{memory_id}", memories_api.get_memory),
    ("PUT", "v1/memories/{memory_id}", memories_api.update_memory),
    ("DELETE", "v1/memories/{memory_id}", memories_api.delete_one),
    ("GET", "v1/memories/{memory_id}/history", memories_api.get_history),
    ("PUT", "v1/batch", memories_api.update_batch),
    ("DELETE", "v1/batch", memories_api.delete_batch),
    ("GET", "v1/entities", entities_api.list_entities),
    ("DELETE", "v1/entities/{entity_type}/{path:name}", entities_api.delete_entity),
    ("DELETE", "v2/entities/{entity_type}/{path:name}", entities_api.delete_entity),
    ("GET", "v2/entities/{entity_type}/{path:name}", refuse_profile),
]
"""Every call that Ebb supports, and one that shares its path with such a call. The first matching
line serves a path.
"""

router = Router()
for method, path, answer in ROUTES:
    router.add_api_operation(path, [method], answer)
router.add_api_operation("{path:wanted}", ["GET", "POST", "PUT", "PATCH", "DELETE"], refuse)

api = NinjaAPI(
    title="Ebb, for mem0's clients",
    version="1",
    auth=TokenKey(),
    docs_url=None,
    openapi_url=None,
    urls_namespace="mem0",
)
errors.install(api)
api.add_router("", router)
