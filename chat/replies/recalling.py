"""The search for a conversation's message."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from chat.models import Conversation
from chat.responders.base import MOST_KNOWN
from chat.responders.commands import Command, command_in, forget_what
from foundation.moments import beside
from foundation.readers import Reader
from memory.formulas.ranking import PROFILES, Profile
from memory.recall.recall import Recall, SearchRequest, recall

MOST_MEANT = 5
"""The memories that "forget that …" may mean."""

LISTED = {
    Command.LIST: Profile(name="importance", importance=1.0, source="ours: the most important"),
    Command.TODAY: PROFILES["date"],
}
"""The ranking of memories for a message that asks for a list."""


def recalled_for(
    conversation: Conversation, text: str, without: Collection[UUID] = (), *, now: datetime
) -> Recall:
    """Recall memories for a message, with the conversation's settings. `now` is in the person's
    zone."""
    found = recall(conversation.space, search_request(conversation, text, without), now=now)
    if command_in(text) is not Command.TODAY:
        return found
    days = [(one, beside(one.memory.created_at, now).date()) for one in found.results]
    return replace(found, results=[one for one, day in days if day == now.date()])


def search_request(
    conversation: Conversation, text: str, without: Collection[UUID] = ()
) -> SearchRequest:
    """Return the search for a message, with the conversation's settings.

    Leaves out memories below the policy's minimum relevance, unless the text asks for a list. If
    the text names something to forget, this becomes the question, and a text saved several times is
    found each time.
    """
    command = command_in(text)
    named = forget_what(text) if command is Command.FORGET else ""
    return SearchRequest(
        named or text,
        profile=(LISTED.get(command) if command else None) or conversation.profile or None,
        limit=MOST_KNOWN if command in LISTED else MOST_MEANT if named else None,
        without=without,
        reader=Reader(conversation.user_id),
        min_relevance=0.0 if named or command in LISTED else None,
        each_once=not named,
    )
