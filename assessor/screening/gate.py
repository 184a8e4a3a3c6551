"""Recognises messages that teach nothing, because a program wrote them: the reader's voice."""

import json
from enum import StrEnum

from assessor.assessing import Exchange
from memory.models import Reason
from reader import Message, read

# The response header with the reason why a request taught nothing.
GATE_HEADER = "X-Ebb-Gate"
PROGRAM = 0.9
"""Least probability of a program's voice: no fact of people's messages is lost from there on. Other
prompts teach nothing because they hold no fact."""
BEGINNING = 600
"""Characters of a message that say who speaks."""


class GateReason(StrEnum):
    """A reason why a request teaches nothing."""

    CLIENT_TASK = "client_task"  # the client says so, in a header or a field
    TEMPORARY_CHAT = "temporary_chat"  # the client does not keep it either
    TASK_PROMPT = "task_prompt"
    REPEATED_TEMPLATE = "repeated_template"


def gate_reason(text: str) -> GateReason | None:
    """Return why this message teaches nothing, or None for a person's own words."""
    begin = Message(text.strip()[:BEGINNING])
    is_program = _is_data(text) or read(begin).voices["program"] >= PROGRAM
    return GateReason.TASK_PROMPT if is_program else None


def gate_of(exchange: Exchange) -> GateReason | None:
    """Return why the user's message of an exchange teaches nothing, or None."""
    return gate_reason(exchange.user_message) if exchange.source_role == "user" else None


def why_ignored(exchange: Exchange, *, learns: bool) -> Reason | None:
    """Return the reason why an exchange is not assessed, or None."""
    if not learns:
        return Reason("request_learning_off")
    gated = gate_of(exchange)
    return Reason(f"gate_{gated}") if gated else None


def _is_data(text: str) -> bool:
    """Return whether the whole text is JSON, other than a word or number."""
    try:
        return text.lstrip()[:1] in {"{", "["} and isinstance(json.loads(text), dict | list)
    except ValueError:
        return False
