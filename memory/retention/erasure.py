"""Erases a purged memory's text from every row that has a copy.

The history is append-only except here: its events lose their text and keep the action, time and
actor. Apps above this one also have copies, and register the functions that erase them. The
messages that a memory was learned from are only redacted on request.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from accounts.models import Space
from foundation.actors import Actor
from memory.models import Memory, MemoryEvent
from memory.models.choices import BinReason
from memory.models.history import MemoryRevision
from memory.models.webhooks import Webhook, WebhookDelivery

Erase = Callable[[Space, Sequence[Memory]], None]
"""Erases the text of these memories of a space from an app's rows. Runs in the transaction of the
purge, before the memories' own rows are deleted."""

_ERASE: list[Erase] = []


class Redact(Protocol):
    """Redacts the messages that these memories were learned from."""

    def __call__(
        self, *, space: Space, memories: Sequence[Memory], actor: Actor, now: datetime
    ) -> None: ...


_REDACT: list[Redact] = []

_EVENT, _REVISION = MemoryEvent._meta.db_table, MemoryRevision._meta.db_table
_DELIVERY, _WEBHOOK = WebhookDelivery._meta.db_table, Webhook._meta.db_table
_NO_REASON = "reason = '', reason_code = '', reason_argument = ''"
# Only words written by Ebb, because a reason may quote the memory.
_OWN_REASONS = ", ".join(f"'{reason.value}'" for reason in BinReason)
_OF_WEBHOOKS = f"webhook_id IN (SELECT id FROM {_WEBHOOK} WHERE space_id = %s)"  # noqa: S608 - our own names

# Parts of the statement that purges; `held_ids` are the purged memories. The reason of another
# memory, such as "replaced by: …", may quote one of them; both were written in the same action.
STATEMENTS = f"""
    told AS MATERIALIZED (
        SELECT id, action_id, content FROM {_EVENT}
        WHERE space_id = %s AND memory_id IN (TABLE held_ids)
    ),
    quoting AS MATERIALIZED (
        SELECT id, memory_id FROM {_EVENT}
        WHERE space_id = %s AND action_id IN (SELECT action_id FROM told)
            AND memory_id NOT IN (TABLE held_ids)
    ),
    erased_events AS (
        UPDATE {_EVENT} SET content = '', reason_code = '', reason_argument = '',
            reason = CASE WHEN reason IN ({_OWN_REASONS}) THEN reason ELSE '' END
        WHERE space_id = %s AND memory_id IN (TABLE held_ids)
    ),
    erased_reasons AS (
        UPDATE {_EVENT} SET {_NO_REASON}
        WHERE space_id = %s AND id IN (SELECT id FROM quoting)
            AND reason_argument IN (SELECT content FROM told)
        RETURNING id
    ),
    erased_reasons_of_revisions AS (
        UPDATE {_REVISION} SET {_NO_REASON}
        WHERE space_id = %s AND memory_id IN (SELECT memory_id FROM quoting)
            AND reason_argument IN (SELECT content FROM told)
    ),
    erased_messages AS (
        UPDATE {_DELIVERY} SET response = '', payload = jsonb_set(
            jsonb_set(payload, '{{data,content}}', '""'), '{{data,reason}}', '""')
        WHERE space_id = %s AND {_OF_WEBHOOKS} AND event_id IN (SELECT id FROM told)
    ),
    erased_reasons_of_messages AS (
        UPDATE {_DELIVERY} SET response = '',
            payload = jsonb_set(payload, '{{data,reason}}', '""')
        WHERE space_id = %s AND {_OF_WEBHOOKS} AND event_id IN (TABLE erased_reasons)
    ),"""  # noqa: S608 - our own names


def statement_values(space: Space) -> list[int]:
    """Return the values of `STATEMENTS`."""
    return [space.pk] * STATEMENTS.count("%s")


def register(erase: Erase) -> None:
    """Add the function that erases the copies of an app above this one."""
    _ERASE.append(erase)


def erase_copies(space: Space, memories: Sequence[Memory]) -> None:
    """Erase the copies of these memories' texts in the rows of the apps above this one."""
    for erase in _ERASE:
        erase(space, memories)


def register_redaction(redact: Redact) -> None:
    """Add the function that redacts the messages of an app above this one."""
    _REDACT.append(redact)


def redact_sources(
    space: Space, memories: Sequence[Memory], *, actor: Actor, now: datetime
) -> None:
    """Redact the messages that these memories were learned from, before they are purged."""
    for redact in _REDACT:
        redact(space=space, memories=memories, actor=actor, now=now)
