"""What chat adds to a space's file."""

from chat.models import Conversation, Message
from memory.transfer.sections import Row, Section


def _nobody_writes_it(row: Row) -> None:
    """A reply that was being written when the file was made has no writer here."""
    if row["state"] in {Message.State.PENDING, Message.State.STREAMING}:
        row["state"] = Message.State.STOPPED


SECTIONS = (
    # Who began it is a person of the installation.
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
