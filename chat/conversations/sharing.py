"""Lets owners of conversations share them read-only with the members of the space."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.audit import note
from accounts.models import AuditAction, Space
from chat.models import Conversation
from foundation.actors import Actor
from foundation.errors import NotFound


@transaction.atomic
def share_conversation(
    *, space: Space, conversation_id: UUID, owner: str, shared: bool, actor: Actor, now: datetime
) -> Conversation:
    """Let all members of the space read the owner's conversation, or stop sharing it; return it.

    The activity log names the owner and the time of the conversation, but not the title, because it
    quotes a message. Raises NotFound if the owner has no such conversation.
    """
    rows = Conversation.objects.in_space(space).filter(pk=conversation_id, user_id=owner)
    conversation = rows.select_for_update().first()
    if conversation is None:
        raise NotFound("Conversation not found.")
    if shared == (conversation.shared_at is not None):
        return conversation
    conversation.shared_at = now if shared else None
    rows.update(shared_at=conversation.shared_at)
    note(
        space=space,
        actor=actor,
        action=AuditAction.SHARED if shared else AuditAction.UNSHARED,
        subject=owner,
        now=now,
        detail={"begun_at": conversation.created_at.isoformat()},
    )
    return conversation
