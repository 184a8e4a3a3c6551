"""mem0's calls about users, agents, apps and runs: list them, and delete all memories of one."""

from collections.abc import Iterator
from typing import Literal

from django.db.models import Count, F, Max, Min
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform
from django.http import HttpRequest
from django.utils import timezone
from ninja import Path, Query

from accounts.authentication import Access
from endpoints.mem0.access import entity_access, found_rows, own_rows
from endpoints.mem0.fields import APP, ENTITIES
from endpoints.mem0.filters import read_filter
from endpoints.mem0.schemas import PageIn
from endpoints.mem0.shapes import Json, page_out
from foundation.errors import NotFound
from foundation.texts.names import ANYBODY
from memory.memories.bulk import delete_memories

EntityType = Literal["user", "agent", "app", "run"]
_FIELDS: dict[EntityType, str] = {
    "user": "user_id", "agent": "agent_id", "app": APP, "run": "run_id",
}  # fmt: skip
USUAL_PAGE = 1000


def list_entities(request: HttpRequest, page: Query[PageIn]) -> Json:
    """List the users, agents, apps and runs that active memories name. Needs the scope `admin`,
    unless the key acts for one user."""
    access = entity_access(request, "read")
    found = [one for kind in _FIELDS for one in _entities(access, kind)]
    number, size = page.page or 1, page.page_size or USUAL_PAGE
    part = found[(number - 1) * size : number * size]
    return page_out(request, part, page=number, size=size, count=len(found))


def _entities(access: Access, kind: EntityType) -> Iterator[Json]:
    """Yield the entities of one kind, by name. Their id is the name."""
    field = _FIELDS[kind]
    app = KeyTextTransform(APP, "metadata")
    name: Combinable = F(ENTITIES[field]) if field in ENTITIES else app
    rows = found_rows(access, read_filter()).annotate(name=name).filter(name__isnull=False)
    counted = rows.values("name").annotate(
        total=Count("pk"), first=Min("created_at"), last=Max("created_at")
    )
    for one in counted.order_by("name"):
        yield {
            "id": one["name"],
            "name": one["name"],
            "type": kind,
            "owner": access.space.slug,
            "metadata": None,
            "total_memories": one["total"],
            "created_at": one["first"].isoformat(),
            "updated_at": one["last"].isoformat(),
        }


def delete_entity(request: HttpRequest, entity_type: Path[EntityType], name: Path[str]) -> Json:
    """Move all memories of a user, agent, app or run to the recycle bin. Needs the scope `admin`,
    unless the key acts for one user.

    A client that resets deletes every listed entity in turn. A memory may name several of them, so
    an entity whose memories are all in the bin is no error.
    """
    access = entity_access(request, "write")
    if name == ANYBODY:  # in a filter it means all of them
        raise NotFound(
            "Name a user, agent, app or run. To delete all memories of all users, use delete_all."
        )
    rows = own_rows(access, read_filter({_FIELDS[entity_type]: {"eq": name}}))
    if not rows.exists():
        raise NotFound(f"No memory names this {entity_type}.")
    ids = list(rows.live().values_list("pk", flat=True))
    gone = delete_memories(
        space=access.space, memory_ids=ids, actor=access.actor, now=timezone.now()
    )
    return {"message": "Entity deleted successfully!", "deleted": gone}
