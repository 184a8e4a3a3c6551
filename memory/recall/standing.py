"""Standing rules: memories that say how the user likes to be answered.

Questions do not contain their words, so recall does not find them. They are sent with every
message, in a separate part of the prompt, but only to the person who said them: otherwise one
member could steer the replies to another.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import F

from accounts.models import Role, Space
from foundation.database.sql import fetch
from foundation.readers import SHARED, Reader
from memory.drafts import MemoryDraft
from memory.models import Memory
from memory.models.choices import MemoryType
from memory.policy import PolicyDocument
from memory.recall.results import repeated
from memory.text.how_to_answer import says_how_to_answer

TYPES = (MemoryType.PREFERENCE, MemoryType.IDENTITY)

AMONG = 2000
"""The most important memories of a reader that are examined. Fewer than this many are all read."""

# Not by the ORM: this runs before each reply, and PostgreSQL can cache its plan.
_TEXTS = """
    SELECT id, content FROM (
        SELECT id, content, memory_type FROM memory_memory
        WHERE space_id = %(space)s AND status = 'live' AND {readable}
        ORDER BY importance DESC LIMIT %(among)s
    ) AS important
    WHERE memory_type = ANY(%(types)s)
"""


def standing_rules(
    space: Space,
    *,
    person: str | None,
    rules: PolicyDocument,
    now: datetime,
    without: Collection[UUID] = (),
) -> list[Memory]:
    """Return this person's live memories that say how to answer, most important first and each text
    once. At most the policy's `recall.standing` are returned, and none of `without`.

    None is a person whom the caller does not name; nobody's own memories are theirs.
    """
    reader = _memories_of(space, person)
    if reader is None or not rules.recall.standing:
        return []
    texts = fetch(
        _TEXTS.format(readable=reader.sql("user_id")),
        {"space": space.pk, "user": reader.user_id, "among": AMONG, "types": list(TYPES)},
    )
    ids = [pk for pk, text in texts if says_how_to_answer(text) and pk not in without]
    if not ids:
        return []
    live = Memory.objects.in_space(space).readable_by(reader).live()
    found = live.filter(pk__in=ids).with_importance_now(decay=rules.decay, now=now)
    best = found.defer("search").order_by(F("current_importance").desc(), "-created_at", "id")
    again = repeated(best)
    return [memory for memory in best if memory.pk not in again][: rules.recall.standing]


def owned_by_speaker(space: Space, draft: MemoryDraft, person: str | None) -> MemoryDraft:
    """Return the draft; a shared one that says how to answer is given to the person who said it,
    unless everything shared in the space is theirs anyway."""
    is_rule = draft.type_name in TYPES and says_how_to_answer(draft.content)
    if draft.user_id is not None or person is None or not is_rule:
        return draft
    reader = _memories_of(space, person)
    return draft if reader and reader.with_shared else draft.model_copy(update={"user_id": person})


def _memories_of(space: Space, person: str | None) -> Reader | None:
    """Return the reader of the memories that this person said; None if nobody knows who did.

    Shared memories do not say who said them. With one member who may write, it was this one, or a
    program that names nobody.
    """
    writers = space.memberships.exclude(role=Role.VIEWER).select_related("user")
    names = [member.known_as for member in writers[:2]]
    if person is None:
        return SHARED if len(names) < 2 else None
    return Reader(person) if names == [person] else Reader.exactly(person)
