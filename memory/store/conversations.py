"""A conversation's turns stand in each other's index; here they are kept in step.

Whatever the way a conversation came here (one call, many, out of order) and whatever happened to
its turns since, each is indexed with the turns that stand around it now. Order is by `created_at`;
of turns said at the same moment, as they came. Turns in the bin count: they can be taken back.

Who writes turns of a space does it one after the other, and holds all rows it will write before it
writes the first, in one order: two at once would otherwise miss or block each other.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db import connection

from memory.models import Memory, Space
from memory.models.memories import MemoryQuerySet
from memory.store.index_sql import ROWS_AT_ONCE, Stretch, index, lock_all, turn_ids
from memory.text.passages import IndexTexts, passage_of, texts_around

_AFTER_ALL = 2**31 - 1
_TEXT = ("content", "source_speaker", "source_conversation", "created_at", "source_position")
_ORDER = ("source_conversation", "created_at", "source_position", "id")

Turns = Sequence[Memory]


def lock_conversations(space: Space) -> None:
    """Nobody else writes turns of the space until the transaction ends. To be called before a row
    is held that such a writer may want.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended('ebb.conversations', %s))", [space.pk]
        )


def join(
    space: Space, memories: Sequence[Memory], *, keep_places: bool = False
) -> Mapping[UUID, IndexTexts]:
    """What is indexed of new memories, and of the older turns that they come to stand beside.

    Gives each its place among the turns of its moment, unless it brings the one it had.
    """
    new = _by_conversation(memories)
    texts = {memory.pk: passage_of(memory).index_texts() for memory in new.pop("", [])}
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
    """These memories, where they are turns of conversations, with the turns around them: for each
    conversation in its order, held against others until the transaction ends."""
    turns = memories.exclude(source_conversation="").only(*_TEXT).order_by(*_ORDER)
    stretches = [
        Stretch(conversation, _place(some[0]), _place(some[-1]))
        for conversation, some in _by_conversation(turns).items()
    ]
    held = _by_conversation(_held(space, stretches)) if stretches else {}
    return [sorted(some, key=_place) for some in held.values()]


def lock_beside(space: Space, memory: Memory, conversation: str | None, said_at: datetime) -> None:
    """Holds a memory that a new statement will replace or patch, with all that is written then: the
    turns around it, and those that the statement will stand beside in its conversation.

    All at once: who held the memory first and its neighbours later could wait without end for one
    that holds the neighbours and wants the memory (uses.mark_used).
    """
    stretches = [
        Stretch(talk, place, place)
        for talk, place in (
            (memory.source_conversation, _place(memory)),
            (conversation, (said_at, _AFTER_ALL)),
        )
        if talk
    ]
    ids = {memory.pk, *(turn_ids(space, stretches) if stretches else ())}
    rows = Memory.objects.in_space(space).filter(pk__in=ids).order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk"))


def forget(space: Space, conversations: Iterable[Turns], *, language: str) -> None:
    """Indexes anew the turns around those that are there no more."""
    for turns in conversations:
        known = {turn.pk for turn in turns}
        left = Memory.objects.in_space(space).filter(pk__in=known).values_list("pk", flat=True)
        gone = known - set(left)
        index(space, texts_around(turns, gone, without=gone), language=language)


def reword(space: Space, memory: Memory, conversations: Iterable[Turns], *, language: str) -> None:
    """Indexes anew a memory that says something else now, and the turns around it."""
    for turns in [*conversations] or [[memory]]:
        said = [memory if turn.pk == memory.pk else turn for turn in turns]
        index(space, texts_around(said, {memory.pk}), language=language)


def index_all(space: Space, *, language: str) -> None:
    """Indexes every memory of the space in another language, holding all of them."""
    lock_conversations(space)
    lock_all(space)
    rows = Memory.objects.in_space(space)
    texts: dict[UUID, IndexTexts] = {}
    turns = rows.only(*_TEXT).order_by(*_ORDER).iterator(chunk_size=ROWS_AT_ONCE)
    for conversation, some in groupby(turns, lambda turn: turn.source_conversation):
        for part in [list(some)] if conversation else ([one] for one in some):
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


def _by_conversation(memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    groups: dict[str, list[Memory]] = defaultdict(list)
    for memory in memories:
        groups[memory.source_conversation].append(memory)
    return dict(groups)


def _stretch_of_new(turns: Turns) -> Stretch:
    moments = [turn.created_at for turn in turns]
    conversation = turns[0].source_conversation
    return Stretch(conversation, (min(moments), _AFTER_ALL), (max(moments), _AFTER_ALL))


def _place(turn: Memory) -> tuple[datetime, int]:
    return turn.created_at, turn.source_position


def _take_places(turns: Turns, older: Collection[Memory]) -> None:
    """New turns stand behind those of the same moment, in the order given."""
    last: dict[datetime, int] = {}
    for turn in sorted(older, key=_place):
        last[turn.created_at] = turn.source_position
    for turn in turns:
        turn.source_position = last[turn.created_at] = last.get(turn.created_at, -1) + 1
