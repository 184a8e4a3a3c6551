"""The chat's sections of a space's export file."""

from typing import Any
from uuid import UUID

from pydantic import BaseModel, TypeAdapter, ValidationError

from chat.models import Conversation, Message
from chat.why.shown_rules import rules_seen
from foundation.readers import Reader
from memory.transfer.sections import Row, Section


class _Memory(BaseModel):
    id: UUID
    content: str
    memory_type: str


class _Recalled(BaseModel):
    """The parts of a recalled memory that pages use in calculations."""

    memory: _Memory
    score: float
    signals: dict[str, float | None]
    contributions: dict[str, float | None]
    rank: int | None = None


class _Written(BaseModel):
    """The parts that pages show of a memory that a tool call wrote."""

    id: UUID
    content: str
    status: str


class _ToolCall(BaseModel):
    """A stored tool call (chat.responders.toolbox)."""

    name: str
    arguments: dict[str, Any] | str
    text: str
    ok: bool
    memory: _Written | None


_SHAPES: dict[str, TypeAdapter[Any]] = {
    "recalled": TypeAdapter(list[_Recalled]),
    "missed": TypeAdapter(list[_Recalled]),
    "standing": TypeAdapter(list[_Memory]),
    "tool_calls": TypeAdapter(list[_ToolCall]),
    "uses": TypeAdapter(dict[str, Any]),
}


def _check(row: Row) -> None:
    """Raise ValueError if pages could not show what is stored with the reply."""
    for name, shape in _SHAPES.items():
        if name not in row:  # a file of an earlier version
            continue
        try:
            shape.validate_python(row[name])
        except ValidationError as error:
            where = ".".join(map(str, (name, *error.errors()[0]["loc"])))
            raise ValueError(f"{where}: {error.errors()[0]['msg']}") from None


def _nobody_writes_it(row: Row) -> None:
    """Stop an unfinished reply, because no process of this installation writes it."""
    if row["state"] in {Message.State.PENDING, Message.State.STREAMING}:
        row["state"] = Message.State.STOPPED


def _only_seen(row: Row, reader: Reader) -> None:
    """Remove standing rules of others, which a reply in a shared conversation may have followed."""
    row["standing"] = rules_seen(row["standing"], reader)


SECTIONS = (
    # The creator, the speakers and the members who may read are users of the exporting
    # installation.
    Section(
        "conversation",
        Conversation,
        ("created_at", "id"),
        left_out=frozenset({"created_by_id", "shared_at"}),
        owner="user_id",
    ),
    Section(
        "message",
        Message,
        ("conversation_id", "position"),
        left_out=frozenset({"leased_until", "said_by"}),
        names={"conversation_id": "conversation", "assessment_id": "assessment"},
        owner="conversation__user_id",
        check=_check,
        arrives=_nobody_writes_it,
        leaves=_only_seen,
    ),
)
