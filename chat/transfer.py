"""The chat's sections of a space's export file."""

from chat.models import Conversation, Message
from memory.transfer.sections import Row, Section


def _nobody_writes_it(row: Row) -> None:
    """Stop an unfinished reply: no process here writes it."""
    if row["state"] in {Message.State.PENDING, Message.State.STREAMING}:
        row["state"] = Message.State.STOPPED


SECTIONS = (
    # The creator is a user of the exporting installation.
    Section(
        "conversation", Conversation, ("created_at", "id"), left_out=frozenset({"created_by_id"})
    ),
    Section(
        "message",
        Message,
        ("conversation_id", "position"),
        names={"conversation_id": "conversation", "assessment_id": "assessment"},
        arrives=_nobody_writes_it,
    ),
)
