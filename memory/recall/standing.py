"""Standing rules: memories that say how the user likes to be answered.

Their words are not in the questions, so recall does not find them. They are sent with every
message, in a place of their own in the prompt.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import F

from memory.models import Memory, Space
from memory.models.choices import MemoryType
from memory.policy import PolicyDocument
from memory.readers import Reader
from memory.text.how_to_answer import says_how_to_answer

TYPES = (MemoryType.PREFERENCE, MemoryType.IDENTITY)

AMONG = 2000
"""The most important memories of a reader that are examined. Fewer than this many are all read."""


def standing_rules(
    space: Space,
    *,
    reader: Reader,
    rules: PolicyDocument,
    now: datetime,
    without: Collection[UUID] = (),
) -> list[Memory]:
    """Return the live memories of this reader that say how to answer, the most important first, at
    most as many as the policy's `recall.standing`; none of `without`."""
    if not rules.recall.standing:
        return []
    live = Memory.objects.in_space(space).readable_by(reader).live()
    important = live.order_by("-importance").values("pk")[:AMONG]
    texts = live.filter(pk__in=important, memory_type__in=TYPES).values_list("pk", "content")
    ids = [pk for pk, text in texts if says_how_to_answer(text) and pk not in without]
    if not ids:
        return []
    found = live.filter(pk__in=ids).with_importance_now(decay=rules.decay, now=now)
    best = found.defer("search").order_by(F("current_importance").desc(), "-created_at", "id")
    return list(best[: rules.recall.standing])
