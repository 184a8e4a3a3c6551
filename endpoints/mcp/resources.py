"""MCP resources: memories as text for a client's model, one per line."""

from django.db.models import F
from django.utils import timezone
from mcp_types import Resource, ResourceTemplate

from accounts.authentication import Access
from foundation.errors import NotFound
from memory.models import Memory
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.recall.prompt_forms import SayDay, day_by, times_of
from memory.references import one, readable
from memory.tools import texts

MIME_TYPE = "text/markdown"
SHOWN = 50
"""Maximum number of memories in a list, because the list goes into a prompt."""

_BEGIN = "ebb://memories/"

LISTED = (
    Resource(
        uri=f"{_BEGIN}recent",
        name="recent",
        title="Recent memories",
        description=f"The {SHOWN} newest memories.",
        mime_type=MIME_TYPE,
    ),
    Resource(
        uri=f"{_BEGIN}pinned",
        name="pinned",
        title="Pinned memories",
        description="Memories pinned by a person, most important first.",
        mime_type=MIME_TYPE,
    ),
)
ONE = ResourceTemplate(
    uri_template=f"{_BEGIN}{{id}}",
    name="memory",
    title="A memory",
    description="One memory with its type and importance, by short or full id.",
    mime_type=MIME_TYPE,
)


def read(access: Access, uri: str) -> str:
    """Return the text of a resource.

    Raises Forbidden, NotFound, or InvalidArguments for a bad id.
    """
    access.require("read")
    if not uri.startswith(_BEGIN):
        raise NotFound(f"Unknown resource. Available: {_BEGIN}recent, pinned or an id.")
    name = uri.removeprefix(_BEGIN)
    live = readable(access.space, access.reader).live()
    say_day = day_by(current_policy(access.space).document, access.here(timezone.now()))
    if name == "recent":
        return _list("Recent memories", live.order_by("-created_at", "-pk"), say_day)
    if name == "pinned":
        return _list("Pinned memories", _important(live.filter(pinned=True)), say_day)
    return _line(one(access.space, access.reader, name), say_day)


def pinned_and_important(access: Access) -> str:
    """Return the pinned memories and then the others, most important first; raises Forbidden."""
    access.require("read")
    live = readable(access.space, access.reader).live()
    say_day = day_by(current_policy(access.space).document, access.here(timezone.now()))
    return _list("Memories", _important(live), say_day)


def _important(live: MemoryQuerySet) -> MemoryQuerySet:
    return live.order_by("-pinned", F("current_importance").desc(), "-pk")


def _list(title: str, memories: MemoryQuerySet, say_day: SayDay) -> str:
    lines = [f"- {_line(memory, say_day)}" for memory in memories[:SHOWN]]
    return "\n".join([f"# {title}", "", *(lines or ["(none)"])])


def _line(memory: Memory, say_day: SayDay) -> str:
    said = f"[{say_day(memory.created_at)}] {texts.typed(memory)}"
    return "; ".join([said, *times_of(memory)])
