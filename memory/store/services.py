"""Remembering and changing."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from memory.actors import Actor
from memory.drafts import MemoryChange, MemoryDraft
from memory.embeddings.services import (
    embed_documents,
    embed_for_next,
    made_vectors,
    replace_vectors,
    store_vectors,
)
from memory.embeddings.vectors import Vectors
from memory.errors import Conflict, NotFound
from memory.formulas.retention import expires_at
from memory.models import Memory, MemoryRevision, Space, Status
from memory.models.history import Action
from memory.models.policies import Policy, current_policy
from memory.models.reasons import columns
from memory.store import conversations
from memory.store import index_sql as passages_sql
from memory.store.history import record
from memory.store.idempotency import Written, answered, once
from memory.text.passages import Passage, passage_of, passages

_CHANGEABLE = (
    "content", "memory_type", "tags", "topics", "importance", "facets", "core", "pinned",
    "clock_started_at", "expires_at", "revision",
)  # fmt: skip


@dataclass(frozen=True)
class Prepared:
    """Drafts with what must be computed before a transaction begins: texts, vectors, rules."""

    space: Space
    drafts: Sequence[MemoryDraft]
    passages: Sequence[Passage]
    vectors: Vectors
    policy: Policy
    next_vectors: Vectors | None = None
    """By the model that the space is moving to, if it is."""
    any_type: bool = False
    """Whether they are compared with memories of any type: nobody who knows said what theirs is."""

    def compared_type(self, draft: MemoryDraft) -> str | None:
        """The type of memories that may say the same as the draft; None for any."""
        return None if self.any_type else draft.memory_type


def prepare_memories(*, space: Space, drafts: Sequence[MemoryDraft], now: datetime) -> Prepared:
    """Embeds the drafts. No transaction is open meanwhile: an embedder may be far away."""
    texts = passages(drafts, now)
    embedded = [passage.embedded for passage in texts]
    vectors, coming = embed_documents(space, embedded), embed_for_next(space, embedded)
    return Prepared(space, drafts, texts, vectors, current_policy(space), coming)


def create_memory(
    *,
    space: Space,
    draft: MemoryDraft,
    actor: Actor,
    now: datetime,
    idempotency_key: str | None = None,
) -> Memory:
    """Remembers one thing. The same idempotency key again gives the first memory."""
    if first := answered(space=space, key=idempotency_key):
        return first[0].memory
    prepared = prepare_memories(space=space, drafts=[draft], now=now)

    def write() -> list[Written]:
        [memory] = store_memories(prepared=prepared, actor=actor, now=now)
        return [Written(memory, is_new=True)]

    return once(space=space, key=idempotency_key, write=write)[0].memory


def create_memories(
    *, space: Space, drafts: Sequence[MemoryDraft], actor: Actor, now: datetime
) -> list[Memory]:
    """Remembers many things, all or none, in the order given."""
    prepared = prepare_memories(space=space, drafts=drafts, now=now)
    return store_memories(prepared=prepared, actor=actor, now=now)


@transaction.atomic
def store_memories(
    *, prepared: Prepared, actor: Actor, now: datetime, **extra: object
) -> list[Memory]:
    """Writes prepared drafts with their vectors and their history, in one transaction."""
    space, language = prepared.space, prepared.policy.document.language
    ids = _new_ids(space, len(prepared.drafts))
    memories = [
        _memory(prepared, draft, id_, now, extra)
        for draft, id_ in zip(prepared.drafts, ids, strict=True)
    ]
    texts = conversations.join(space, memories)
    passages_sql.insert(memories, texts, language=language)
    older = {id_: texts[id_] for id_ in texts.keys() - set(ids)}
    passages_sql.index(space, older, language=language)
    store_vectors(
        space=space,
        memories=memories,
        texts=[passage.embedded for passage in prepared.passages],
        made=made_vectors(space, prepared.vectors, prepared.next_vectors),
    )
    record(memories=memories, action=Action.CREATED, actor=actor, policy=prepared.policy, now=now)
    return memories


def _new_ids(space: Space, count: int) -> list[uuid.UUID]:
    """Random ids whose first eight hex digits are free in the space and among themselves."""
    ids: dict[str, uuid.UUID] = {}
    while len(ids) < count:
        fresh = {(new := uuid.uuid4()).hex[:8]: new for _ in range(count - len(ids))}
        taken = Memory.objects.in_space(space).filter(short_id__in=list(fresh))
        for short_id in taken.values_list("short_id", flat=True):
            del fresh[short_id]
        ids |= fresh
    return list(ids.values())


def _memory(
    prepared: Prepared,
    draft: MemoryDraft,
    id_: uuid.UUID,
    now: datetime,
    extra: dict[str, object],
) -> Memory:
    return Memory(
        id=id_,
        space=prepared.space,
        short_id=id_.hex[:8],
        content=draft.content,
        memory_type=draft.type_name,
        tags=draft.tags,
        topics=draft.topics,
        importance=draft.base_importance,
        facets=draft.facets.stored() if draft.facets else None,
        core=draft.core,
        pinned=draft.pinned,
        created_at=draft.starts_at(now),
        # The clock of a lifetime starts when Ebb learns of it, however long ago it was said.
        clock_started_at=now,
        expires_at=expires_at(now, draft.base_importance, prepared.policy.document.ttl.tiers),
        source_role=draft.source.role,
        source_speaker=draft.source.speaker,
        source_conversation=draft.source.conversation_id or "",
        **extra,
    )


def revise_memory(
    *,
    space: Space,
    memory_id: uuid.UUID,
    change: MemoryChange,
    actor: Actor,
    now: datetime,
    reason: str = "",
    known: int | None = None,
) -> Memory:
    """Changes a memory and keeps what it said before as a revision.

    `known` is the revision that the change was made from, if it may be no other. Raises NotFound,
    or Conflict if it is in the bin or another revision.
    """
    text, made = _embed_change(space, memory_id, change)
    policy, actor = current_policy(space), actor.in_action()
    with transaction.atomic():
        rows = Memory.objects.in_space(space).filter(pk=memory_id)
        around = conversations.lock_around(space, rows) if change.content is not None else []
        memory = lock_memory(space, memory_id)
        if memory.status == Status.BINNED:
            raise Conflict("It is in the bin; restore it first.")
        if known not in {None, memory.revision}:
            raise Conflict("It was changed meanwhile.")
        if change.pinned is not None and change.pinned != memory.pinned:
            memory.pinned = change.pinned
            action = Action.PINNED if change.pinned else Action.UNPINNED
            record(memories=[memory], action=action, actor=actor, policy=policy, now=now)
        changed = _apply(memory, change, policy, actor, now, reason)
        _update(memory)
        if "content" in changed:
            language = policy.document.language
            conversations.reword(space, memory, around, language=language)
        if made:
            replace_vectors(space=space, memory=memory, text=text, made=made)
    return Memory.objects.in_space(space).get(pk=memory_id)


def _embed_change(
    space: Space, memory_id: uuid.UUID, change: MemoryChange
) -> tuple[str, dict[int, Vectors]]:
    """The new text as it is embedded and its vectors, before a row is held; none if the text stays.
    Raises NotFound."""
    if change.content is None:
        return "", {}
    memory = Memory.objects.in_space(space).filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("There is no such memory.")
    memory.content = change.content
    text = passage_of(memory).embedded
    vectors, coming = embed_documents(space, [text]), embed_for_next(space, [text])
    return text, made_vectors(space, vectors, coming)


def _apply(
    memory: Memory,
    change: MemoryChange,
    policy: Policy,
    actor: Actor,
    now: datetime,
    reason: str,
) -> Collection[str]:
    """Sets what differs, and writes revision and history if anything does. Gives what differs."""
    values = {
        name: value for name, value in change.values().items() if getattr(memory, name) != value
    }
    if not values:
        return ()
    if "facets" in values and values["facets"] is None:
        values["core"] = False
    keep_revisions([memory], actor=actor, now=now, reason=reason)
    for name, value in values.items():
        setattr(memory, name, value)
    memory.revision += 1
    if "importance" in values:
        memory.clock_started_at = now
        memory.expires_at = expires_at(now, memory.importance, policy.document.ttl.tiers)
    record(
        memories=[memory], action=Action.REVISED, actor=actor, policy=policy, now=now, reason=reason
    )
    return values


def keep_revisions(memories: Sequence[Memory], *, actor: Actor, now: datetime, reason: str) -> None:
    """Keeps what the memories say before each is changed. In the transaction and the action of the
    change, which raises each one's `revision`."""
    MemoryRevision.objects.bulk_create(
        MemoryRevision(
            space_id=memory.space_id,
            memory=memory,
            number=memory.revision,
            content=memory.content,
            memory_type=memory.memory_type,
            importance=memory.importance,
            facets=memory.facets,
            tags=memory.tags,
            topics=memory.topics,
            replaced_at=now,
            actor_type=actor.type,
            actor_name=actor.name,
            action_id=actor.action_id,
            **columns(reason),
        )
        for memory in memories
    )


def _update(memory: Memory) -> None:
    """Writes what may change about a memory, naming its space, so that one shard can do it."""
    values = {name: getattr(memory, name) for name in _CHANGEABLE}
    Memory.objects.filter(space_id=memory.space_id, pk=memory.pk).update(**values)


def lock_memory(space: Space, memory_id: uuid.UUID) -> Memory:
    """The memory, held against others until the transaction ends; raises NotFound."""
    memory = Memory.objects.in_space(space).select_for_update().filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("There is no such memory.")
    memory.space = space  # or it would be read again
    return memory
