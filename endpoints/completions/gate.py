"""Decides whether a request teaches: by what the client states, by its text, and by
repeated texts.
"""

from collections.abc import Mapping
from datetime import datetime
from hashlib import md5
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import MD5, Left, Right

from accounts.models import Space
from assessor.screening import GateReason, gate_reason
from assessor.statistics.gate_counts import count_gated
from chat.models import Message
from endpoints.completions.messages import Said

TASK_HEADER = "X-OpenWebUI-Task"
CHAT_HEADER = "X-OpenWebUI-Chat-Id"
# Ids of chats that Open WebUI does not save; "local:" in its older versions.
TEMPORARY_CHATS = ("temporary:", "local:")
# A template has at least this length, and this many fixed characters at its beginning or end.
TEMPLATE_LENGTH, FIXED = 300, 120
# The number of earlier messages that must share the fixed part of a template.
REPEATED = 3


def stated_reason(headers: Mapping[str, str], metadata: object) -> GateReason | None:
    """Return why the request teaches nothing if the client says so, or None."""
    if _names_task(headers, metadata):
        return GateReason.CLIENT_TASK
    temporary = headers.get(CHAT_HEADER, "").startswith(TEMPORARY_CHATS)
    return GateReason.TEMPORARY_CHAT if temporary else None


def _names_task(headers: Mapping[str, str], metadata: object) -> bool:
    """Return whether the client calls the request a task of its own, in a header or `metadata`."""
    named: list[Any] = [headers.get(TASK_HEADER)]
    if isinstance(metadata, dict):
        named.append(metadata.get("task"))
    # A client that does not fill in its placeholder sends the placeholder itself.
    return any(isinstance(n, str) and n.strip() and not n.startswith("{{") for n in named)


def refuse(
    *, space: Space, said: Said, stated: GateReason | None, now: datetime
) -> GateReason | None:
    """Return why the request teaches nothing and count it, or None if it may teach.

    `stated` is the reason that the client gave.
    """
    reason = stated or gate_reason(said.text)
    if reason is None and _is_repeated(space, said.text):
        reason = GateReason.REPEATED_TEMPLATE
    if reason is not None:
        count_gated(space=space, reason=reason, now=now)
    return reason


def _is_repeated(space: Space, text: str) -> bool:
    """Return whether several earlier messages begin or end with the same long text."""
    if len(text) < TEMPLATE_LENGTH:
        return False
    rows = Message.objects.in_space(space).shown().filter(role=Message.Role.USER)
    same_beginning = rows.alias(part=MD5(Left("content", FIXED))).filter(part=_digest(text[:FIXED]))
    same_end = rows.alias(part=MD5(Right("content", FIXED))).filter(part=_digest(text[-FIXED:]))
    return any(_differing(found, text) >= REPEATED for found in (same_beginning, same_end))


def _digest(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _differing(found: QuerySet[Message], text: str) -> int:
    """Return the number of different texts among the latest of these messages, excluding
    this one.
    """
    latest = found.order_by("-created_at").values_list("content", flat=True)[: 5 * REPEATED]
    return len(set(latest) - {text})
