"""Writing through the services in few words, for tests of what comes after."""

from datetime import UTC, datetime
from typing import Any

from accounts.models import Space
from foundation.actors import Actor
from memory.drafts import MemoryAsked, MemoryDraft
from memory.models import Memory, MemoryEvent, PolicyVersion
from memory.policy import PolicyDocument
from memory.reconciliation.services import remember_drafts
from memory.review.services import hold_memory
from memory.store.services import create_memories, prepare_memories

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)
ALICE = Actor("user", "alice")


def create_memory(*, space: Space, draft: MemoryDraft, actor: Actor, now: datetime) -> Memory:
    """The memory of one draft."""
    [memory] = create_memories(space=space, drafts=[draft], actor=actor, now=now)
    return memory


def remember(space: Space, content: str, *, now: datetime = NOW, **draft: Any) -> Memory:
    """A memory as the database has it."""
    made = create_memory(
        space=space, draft=MemoryDraft(content=content, **draft), actor=ALICE, now=now
    )
    return stored(made)


def learn(space: Space, content: str, *, now: datetime = NOW, **draft: Any) -> Memory:
    """The memory that holds a statement once it has been compared with what is known."""
    asked = MemoryAsked(content=content, on_duplicate="reinforce", **draft)
    [written] = remember_drafts(space=space, drafts=[asked], actor=ALICE, now=now)
    return written.memory


def keyed(space: Space, content: str, key: str) -> Memory:
    """The memory that a request with this idempotency key ends in."""
    asked = [MemoryAsked(content=content)]
    [written] = remember_drafts(
        space=space, drafts=asked, actor=ALICE, now=NOW, idempotency_key=key
    )
    return written.memory


def hold(space: Space, content: str, *, reason: str = "It reads odd.", **draft: Any) -> Memory:
    """A memory that waits for review."""
    drafts = [MemoryDraft(content=content, **draft)]
    prepared = prepare_memories(space=space, drafts=drafts, now=NOW)
    return hold_memory(prepared=prepared, reason=reason, actor=ALICE, now=NOW)


def stored(memory: Memory) -> Memory:
    """The memory as the database has it now."""
    return Memory.objects.get(space_id=memory.space_id, pk=memory.pk)


def actions(memory: Memory) -> list[str]:
    """Return the actions of a memory's history, oldest first."""
    events = MemoryEvent.objects.filter(space_id=memory.space_id, memory_id=memory.pk)
    return list(events.order_by("id").values_list("action", flat=True))


def set_policy(space: Space, **changes: Any) -> PolicyDocument:
    """Makes the defaults with these parts the space's rules."""
    document = PolicyDocument.model_validate(changes)
    newest = space.policy_versions.order_by("-version")[0].version
    PolicyVersion.objects.create(
        space=space,
        version=newest + 1,
        document=document.model_dump(mode="json"),
        actor_type="system",
    )
    return document
