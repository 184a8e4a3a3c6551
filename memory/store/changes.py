"""Earlier texts of a memory: each change with the words that differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from memory.models import Memory, MemoryRevision
from memory.models.choices import MemoryType
from memory.store.history_labels import who, why
from memory.text.difference import Span, compared

SHOWN = 10


@dataclass(frozen=True)
class Changed:
    """One change: from the past revision `number` to the following one.

    `words` is empty if the text is unchanged; `others` are (field, before, after) of the other
    fields.
    """

    number: int
    at: datetime
    by: str
    reason: str
    words: Sequence[Span]
    others: Sequence[tuple[str, str, str]]


def changes(memory: Memory, *, below: int | None = None) -> tuple[list[Changed], int | None]:
    """Return the latest SHOWN changes, or those before the change with this number, and the number
    for requesting the next ones, if there are more."""
    rows = MemoryRevision.objects.filter(space_id=memory.space_id, memory_id=memory.pk)
    if below is not None:
        rows = rows.filter(number__lte=below)
    past = list(rows.order_by("-number")[: SHOWN + 2])
    states: list[Memory | MemoryRevision] = [*past] if below is not None else [memory, *past]
    pairs = list(zip(states[1:], states, strict=False))
    shown = [
        _changed(before, after) for before, after in pairs if isinstance(before, MemoryRevision)
    ]
    more = len(shown) > SHOWN
    return shown[:SHOWN], shown[SHOWN - 1].number if more else None


def _changed(before: MemoryRevision, after: Memory | MemoryRevision) -> Changed:
    differs = before.content != after.content
    return Changed(
        before.number,
        before.replaced_at,
        who(before),
        why(before),
        compared(before.content, after.content) if differs else (),
        [(what, old, new) for what, old, new in _others(before, after) if old != new],
    )


def _others(
    before: MemoryRevision, after: Memory | MemoryRevision
) -> Sequence[tuple[str, str, str]]:
    kinds = [str(MemoryType(kind).label) for kind in (before.memory_type, after.memory_type)]
    weights = [f"{weight:.2f}" for weight in (before.importance, after.importance)]
    tags = [", ".join(tags) or "–" for tags in (before.tags, after.tags)]
    topics = [", ".join(topics) or "–" for topics in (before.topics, after.topics)]
    return [
        (_("type"), kinds[0], kinds[1]),
        (_("importance"), weights[0], weights[1]),
        (_("tags"), tags[0], tags[1]),
        (_("topics"), topics[0], topics[1]),
    ]
