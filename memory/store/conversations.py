"""Index texts of conversations: each turn is indexed with the turns around it.

The index stays correct however a conversation was imported (one call, many, out of order) and
whatever changed in its turns since. Turns are ordered by `created_at`; turns of the same moment
keep their order of arrival. Turns in the bin count, because they can be restored.

Writers of turns in a space run one after the other, and lock all rows in one order before writing
the first. Otherwise concurrent writers would miss or block each other.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from uuid import UUID

from accounts.models import Space
from foundation.database.locks import lock
from memory.models import Memory
from memory.models.memories import MemoryQuerySet
from memory.store.index_sql import ROWS_AT_ONCE, Stretch, index, lock_all, turn_ids
from memory.text.passages import IndexTexts, passage_of, texts_around

_AFTER_ALL = 2**31 - 1
_TEXT = (
    "content", "source_speaker", "source_conversation", "user_id", "created_at", "time_zone",
    "source_position",
)  # fmt: skip
_ORDER = ("source_conversation", "user_id", "created_at", "source_position", "id")

Turns = Sequence[Memory]
Talk = tuple[str, str | None]
"""A conversation and its user: turns of two users are never indexed together, even if the caller
gives both conversations the same name."""


def lock_conversations(space: Space) -> None:
    """Lock the conversations of the space so that nobody else writes turns until the transaction
    ends. Call this before locking any row that another writer may need."""
    lock(space.pk, "conversations")


def join(
    space: Space, memories: Sequence[Memory], *, keep_places: bool = False
) -> Mapping[UUID, IndexTexts]:
    """Return the index texts of new memories and of the older turns next to them.

    Sets each new memory's position among turns of the same moment, unless `keep_places` is true.
    """
    new = _by_conversation(memories)
    alone = [memory for talk in list(new) if not talk[0] for memory in new.pop(talk)]
    texts = {memory.pk: passage_of(memory).index_texts() for memory in alone}
    if not new:
        return texts
    known = _by_conversation(_held(space, [_stretch_of_new(turns) for turns in new.values()]))
    for conversation, turns in new.items():
        older = known.get(conversation, [])
        if not keep_places:
            _take_places(turns, older)
        merged = sorted([*older, *turns], key=_place)
        texts |= texts_around(merged, {turn.pk for turn in turns})
    return texts


def lock_around(space: Space, memories: MemoryQuerySet) -> Sequence[Turns]:
    """Return these memories, if they are turns of conversations, with the turns around them: for
    each conversation in its order, locked until the transaction ends."""
    turns = memories.exclude(source_conversation="").only(*_TEXT).order_by(*_ORDER)
    stretches = [
        Stretch(talk, _place(some[0]), _place(some[-1]))
        for talk, some in _by_conversation(turns).items()
    ]
    held = _by_conversation(_held(space, stretches)) if stretches else {}
    return [sorted(some, key=_place) for some in held.values()]


def lock_beside(space: Space, memory: Memory, conversation: str | None, said_at: datetime) -> None:
    """Lock a memory that a new statement will replace or revise, with all rows written then: the
    turns around the memory, and the turns next to the statement in its conversation.

    All rows are locked at once: locking the memory first and its neighbours later could deadlock
    with a transaction that locks in the other order (uses.mark_used).
    """
    stretches = [
        Stretch((name, memory.user_id), place, place)
        for name, place in (
            (memory.source_conversation, _place(memory)),
            (conversation, (said_at, _AFTER_ALL)),
        )
        if name
    ]
    ids = {memory.pk, *(turn_ids(space, stretches) if stretches else ())}
    rows = Memory.objects.in_space(space).filter(pk__in=ids).order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk"))


def forget(space: Space, conversations: Iterable[Turns], *, language: str) -> None:
    """Index the turns around deleted turns again."""
    for turns in conversations:
        known = {turn.pk for turn in turns}
        left = Memory.objects.in_space(space).filter(pk__in=known).values_list("pk", flat=True)
        gone = known - set(left)
        index(space, texts_around(turns, gone, without=gone), language=language)


def reword(space: Space, memory: Memory, conversations: Iterable[Turns], *, language: str) -> None:
    """Index a memory with a changed text again, and the turns around it."""
    for turns in [*conversations] or [[memory]]:
        said = [memory if turn.pk == memory.pk else turn for turn in turns]
        index(space, texts_around(said, {memory.pk}), language=language)


def hand_over(space: Space, memory: Memory, before: Iterable[Turns], *, language: str) -> None:
    """Index the turns around a memory again that now belongs to another user: those of the user
    before it, without the memory, and those of the new user."""
    for turns in before:
        left = texts_around(turns, {memory.pk}, without={memory.pk})
        index(space, left, language=language)
    rows = Memory.objects.in_space(space).filter(pk=memory.pk)
    reword(space, memory, lock_around(space, rows), language=language)


def index_all(space: Space, *, language: str) -> None:
    """Index every memory of the space in another language; locks all of them."""
    lock_conversations(space)
    lock_all(space)
    rows = Memory.objects.in_space(space)
    texts: dict[UUID, IndexTexts] = {}
    turns = rows.only(*_TEXT).order_by(*_ORDER).iterator(chunk_size=ROWS_AT_ONCE)
    for talk, some in groupby(turns, _talk):
        for part in [list(some)] if talk[0] else ([one] for one in some):
            texts |= texts_around(part, {turn.pk for turn in part})
            if len(texts) >= ROWS_AT_ONCE:
                index(space, texts, language=language)
                texts = {}
    index(space, texts, language=language)


def _held(space: Space, stretches: Sequence[Stretch]) -> list[Memory]:
    lock_conversations(space)
    ids = turn_ids(space, stretches)
    rows = Memory.objects.in_space(space).filter(pk__in=ids).only(*_TEXT).order_by("pk")
    return list(rows.select_for_update(no_key=True)) if ids else []


def _talk(memory: Memory) -> Talk:
    return memory.source_conversation, memory.user_id


def _by_conversation(memories: Iterable[Memory]) -> dict[Talk, list[Memory]]:
    groups: dict[Talk, list[Memory]] = defaultdict(list)
    for memory in memories:
        groups[_talk(memory)].append(memory)
    return dict(groups)


def _stretch_of_new(turns: Turns) -> Stretch:
    moments = [turn.created_at for turn in turns]
    return Stretch(_talk(turns[0]), (min(moments), _AFTER_ALL), (max(moments), _AFTER_ALL))


def _place(turn: Memory) -> tuple[datetime, int]:
    return turn.created_at, turn.source_position


def _take_places(turns: Turns, older: Collection[Memory]) -> None:
    """Set the positions of new turns after older turns of the same moment, in the order given."""
    last: dict[datetime, int] = {}
    for turn in sorted(older, key=_place):
        last[turn.created_at] = turn.source_position
    for turn in turns:
        turn.source_position = last[turn.created_at] = last.get(turn.created_at, -1) + 1
