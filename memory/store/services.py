"""Creating and changing memories."""

import uuid
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import Space
from accounts.models.zones import spoken_columns
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from memory.drafts import MemoryChange, MemoryDraft
from memory.embeddings.services import Made, embed_documents, replace_vectors, store_vectors
from memory.models import Memory, MemoryRevision, Status
from memory.models.history import Action
from memory.models.policies import Policy, current_policy
from memory.models.reasons import columns
from memory.store import conversations
from memory.store import index_sql as passages_sql
from memory.store.feedback import count_correction, pinned_columns
from memory.store.history import record
from memory.store.idempotency import forget_answers
from memory.store.ids import external_id_free, new_ids
from memory.store.times import set_lifetime, times_in
from memory.text.passages import IndexTexts, Passage, passage_of, passages

_CHANGEABLE = (
    "user_id", "agent_id", "session_id", "external_id", "metadata", "content", "memory_type",
    "tags", "topics", "importance", "reinforced_from", "facets", "core", "pinned",
    "clock_started_at", "expires_at", "revision", "event_at", "event_precision", "valid_from",
)  # fmt: skip


@dataclass(frozen=True)
class Prepared:
    """Drafts with everything that is computed before a transaction begins."""

    space: Space
    drafts: Sequence[MemoryDraft]
    passages: Sequence[Passage]
    vectors: Made
    policy: Policy
    any_type: bool = False
    """Compare the drafts with memories of any type, because their own type is only a guess."""
    source_assessment: uuid.UUID | None = None
    source_place: int = 0
    """The place of the first draft among the facts of its assessment."""
    siblings: Set[uuid.UUID] = frozenset()
    """Memories that the same message taught: no draft changes or replaces them."""

    @property
    def vector(self) -> Any:
        """The vector of the only draft's text, computed by the space's model."""
        [vectors] = self.vectors[self.space.embedder_id]
        return vectors[0]

    @property
    def compared_type(self) -> str | None:
        """The type of memories compared with the only draft; None for any type."""
        [draft] = self.drafts
        return None if self.any_type else draft.memory_type


@dataclass(frozen=True)
class Review:
    """The reason why new memories wait for review, and the decision that an approval applies."""

    reason: str
    proposal: dict[str, Any] | None


def prepare_memories(
    *,
    space: Space,
    drafts: Sequence[MemoryDraft],
    now: datetime,
    any_type: bool = False,
    source_assessment: uuid.UUID | None = None,
    source_place: int = 0,
) -> Prepared:
    """Embed the drafts. Call this outside a transaction, because an embedder may be slow."""
    texts = passages(drafts, now)
    vectors = embed_documents(space, [passage.embedded for passage in texts])
    policy = current_policy(space)
    return Prepared(
        space, drafts, texts, vectors, policy, any_type, source_assessment, source_place
    )


def create_memories(
    *, space: Space, drafts: Sequence[MemoryDraft], actor: Actor, now: datetime
) -> list[Memory]:
    """Create memories from drafts, all or none, in the order given."""
    prepared = prepare_memories(space=space, drafts=drafts, now=now)
    return store_memories(prepared=prepared, actor=actor, now=now)


@transaction.atomic
def store_memories(
    *, prepared: Prepared, actor: Actor, now: datetime, review: Review | None = None
) -> list[Memory]:
    """Write prepared drafts with their vectors and history. With `review` the memories wait for
    review."""
    if not prepared.drafts:
        return []
    space, policy = prepared.space, prepared.policy
    ids = new_ids(space, len(prepared.drafts))
    memories = [
        _memory(prepared, draft, id_, now, review)
        for draft, id_ in zip(prepared.drafts, ids, strict=True)
    ]
    for place, memory in enumerate(memories, prepared.source_place):
        memory.source_place = place
    texts = conversations.join(space, memories)
    with external_id_free():
        insert_memories(space, memories, texts, language=policy.document.language)
    embedded = [passage.embedded for passage in prepared.passages]
    store_vectors(space=space, memories=memories, texts=embedded, made=prepared.vectors)
    record(memories=memories, action=Action.CREATED, actor=actor, policy=policy, now=now)
    return memories


def insert_memories(
    space: Space,
    memories: Sequence[Memory],
    texts: Mapping[uuid.UUID, IndexTexts],
    *,
    language: str,
) -> None:
    """Insert new memories with their index texts, and index the older turns next to them again."""
    passages_sql.insert(memories, texts, language=language)
    older = texts.keys() - {memory.pk for memory in memories}
    passages_sql.index(space, {id_: texts[id_] for id_ in older}, language=language)


def _memory(
    prepared: Prepared, draft: MemoryDraft, id_: uuid.UUID, now: datetime, review: Review | None
) -> Memory:
    said_at = draft.starts_at(now)
    memory = Memory(
        id=id_,
        space=prepared.space,
        short_id=id_.hex[:8],
        **draft.names,
        content=draft.content,
        memory_type=draft.type_name,
        tags=draft.tags,
        topics=draft.topics,
        importance=draft.base_importance,
        facets=draft.facets.stored() if draft.facets else None,
        core=draft.core,
        **pinned_columns(draft.pinned),
        **spoken_columns(said_at) | times_in(draft.content, said_at),
        # The lifetime starts when Ebb saves the memory, however old the statement is.
        clock_started_at=now,
        source_role=draft.source.role,
        source_speaker=draft.source.speaker,
        source_conversation=draft.source.conversation_id or "",
        source_assessment=prepared.source_assessment,
        status=Status.REVIEW if review else Status.LIVE,
        review_reason=review.reason if review else "",
        review_proposal=review.proposal if review else None,
    )
    memory.expires_at = memory.expiry_from(now, prepared.policy.document.ttl.tiers)
    return memory


def revise_memory(
    *, space: Space, memory_id: uuid.UUID, change: MemoryChange, actor: Actor, now: datetime,
    reason: str = "", known: int | None = None,
) -> Memory:  # fmt: skip
    """Change a memory and keep its old values as a revision.

    If `known` is given, the memory must still be at this revision. Raises NotFound, or Conflict if
    the memory is in the bin or at another revision.
    """
    text, made = _embed_change(space, memory_id, change)
    policy, actor = current_policy(space), actor.in_action()
    rows, language = Memory.objects.in_space(space).filter(pk=memory_id), policy.document.language
    with transaction.atomic():
        around = conversations.lock_around(space, rows) if change.moves_words else []
        memory = _lock_changeable(space, memory_id, known)
        _pin(memory, change, policy, actor, now)
        changed = _apply(memory, change, policy, actor, now, reason)
        _update(memory)
        if {"user_id", "content"} & set(changed):
            index = conversations.hand_over if "user_id" in changed else conversations.reword
            index(space, memory, around, language=language)
        if "user_id" in changed:
            forget_answers(memory)
        if made:
            replace_vectors(space=space, memory=memory, text=text, made=made)
    return rows.get()


def _lock_changeable(space: Space, memory_id: uuid.UUID, known: int | None) -> Memory:
    """Return the memory, locked. Raises NotFound, or Conflict if it is binned or not at `known`."""
    memory = lock_memory(space, memory_id)
    if memory.status == Status.BINNED:
        raise Conflict("The memory is in the bin. Restore it first.")
    if known not in {None, memory.revision}:
        raise Conflict("Someone else changed the memory. Read it again, then repeat your change.")
    return memory


def _embed_change(space: Space, memory_id: uuid.UUID, change: MemoryChange) -> tuple[str, Made]:
    """Return the text to embed and its vectors, before a row is locked; none if the text is
    unchanged. Raises NotFound."""
    if change.content is None:
        return "", {}
    memory = Memory.objects.in_space(space).filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("Memory not found.")
    memory.content = change.content
    text = passage_of(memory).embedded
    return text, embed_documents(space, [text])


def _pin(memory: Memory, change: MemoryChange, policy: Policy, actor: Actor, now: datetime) -> None:
    """Pin or unpin the memory if the change says so, with a history entry."""
    if change.pinned is not None and change.pinned != memory.pinned:
        memory.pinned = change.pinned
        action = Action.PINNED if change.pinned else Action.UNPINNED
        record(memories=[memory], action=action, actor=actor, policy=policy, now=now)


def _apply(
    memory: Memory,
    change: MemoryChange,
    policy: Policy,
    actor: Actor,
    now: datetime,
    reason: str,
) -> Collection[str]:
    """Set the values that differ, write a revision and an event if any do, and return them."""
    given = change.over(memory.metadata).values()
    values = {name: value for name, value in given.items() if getattr(memory, name) != value}
    if not values:
        return ()
    if "facets" in values and values["facets"] is None:
        values["core"] = False
    if "content" in values:
        times = times_in(values["content"], memory.said_at)
        values |= {name: at for name, at in times.items() if getattr(memory, name) != at}
    keep_revisions([memory], actor=actor, now=now, reason=reason)
    for name, value in values.items():
        setattr(memory, name, value)
    memory.revision += 1
    set_lifetime(memory, values, policy.document.ttl.tiers, now)
    record(
        memories=[memory], action=Action.REVISED, actor=actor, policy=policy, now=now, reason=reason
    )
    count_correction(memory, values, actor=actor, reason=reason)
    return values


def keep_revisions(memories: Sequence[Memory], *, actor: Actor, now: datetime, reason: str) -> None:
    """Save the memories' current values as revisions. Call this in the transaction and action of
    the change, which increments each memory's `revision`."""
    MemoryRevision.objects.bulk_create(
        MemoryRevision(
            space_id=memory.space_id,
            memory=memory,
            number=memory.revision,
            content=memory.content,
            memory_type=memory.memory_type,
            importance=memory.importance,
            facets=memory.facets,
            reinforced_from=memory.reinforced_from,
            tags=memory.tags,
            topics=memory.topics,
            metadata=memory.metadata,
            replaced_at=now,
            actor_type=actor.type,
            actor_name=actor.name,
            action_id=actor.action_id,
            **columns(reason),
        )
        for memory in memories
    )


def _update(memory: Memory) -> None:
    """Write a memory's changeable columns. The query names the space, so that one shard can run
    it."""
    values = {name: getattr(memory, name) for name in _CHANGEABLE}
    with external_id_free():
        Memory.objects.filter(space_id=memory.space_id, pk=memory.pk).update(**values)


def lock_memory(space: Space, memory_id: uuid.UUID) -> Memory:
    """Return the memory, locked until the transaction ends; raises NotFound."""
    memory = Memory.objects.in_space(space).select_for_update().filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("Memory not found.")
    memory.space = space  # avoids another query
    return memory
