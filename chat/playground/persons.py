"""The user for whom a member chats: the member, or no user in particular."""

from uuid import UUID

from django.utils.translation import gettext_lazy

from accounts.authentication import Access
from accounts.forms import uuid_in
from accounts.models import Space
from accounts.pages import PageRequest
from chat.conversations.services import conversation_for
from chat.models import Conversation
from chat.replies.turns import NewConversation
from foundation.errors import NotFound

FOREIGN = gettext_lazy("This conversation belongs to another user.")
OWN = "me"
"""The value of the switch for a member's own conversation; any other value means a shared one."""


def chat_user(request: PageRequest) -> str | None:
    """Return the user of a new conversation: the member's own name, or None for a shared one."""
    return request.access.actor.name if request.POST.get("chat_as") == OWN else None


def new_conversation(request: PageRequest) -> NewConversation:
    """Return the conversation that the member begins."""
    # Logged in: space_page checks that.
    return NewConversation(request.user, user_id=chat_user(request))


def user_here(request: PageRequest, access: Access) -> str | None:
    """Return the user of the open conversation, else of the one that the member would begin.

    Raises NotFound for a conversation that the member may not continue.
    """
    if not request.POST.get("conversation"):
        return chat_user(request)
    conversation_id = uuid_in(request.POST["conversation"])
    found = conversation_for(access.space, access.reader, conversation_id)
    if not may_continue(request, found):
        raise NotFound("Conversation not found.")
    user_id: str | None = found.user_id
    return user_id


def is_foreign(request: PageRequest, access: Access, conversation_id: UUID | None) -> bool:
    """Return true if this conversation is another user's. Raises NotFound."""
    if conversation_id is None:
        return False
    found = conversation_for(access.space, access.reader, conversation_id)
    return not may_continue(request, found)


def starts_alone(space: Space) -> bool:
    """Return true if a new conversation is the member's own unless they say otherwise: in a space
    with several members."""
    return space.memberships.count() > 1


def may_continue(request: PageRequest, conversation: Conversation) -> bool:
    """Return true if the conversation is shared or the member's own. In any other conversation, Ebb
    would learn the member's words about another user.
    """
    return conversation.user_id in (None, request.access.actor.name)
