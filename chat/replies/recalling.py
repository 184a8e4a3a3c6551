"""The search for a conversation's message."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from chat.models import Conversation
from chat.responders.base import MOST_KNOWN
from chat.responders.kinds import Kind
from chat.responders.utterances import forget_what, kind_of
from foundation.moments import beside
from foundation.readers import Reader
from memory.formulas.ranking import PROFILES, Profile
from memory.recall.recall import Recall, SearchRequest, recall

MOST_MEANT = 5
"""The memories that "forget that …" may mean."""

LISTED = {
    Kind.EVERYTHING: Profile(name="importance", importance=1.0, source="ours: the most important"),
    Kind.TODAY: PROFILES["date"],
}
"""The ranking of memories for a message that asks for a list."""


def recalled_for(
    conversation: Conversation, text: str, without: Collection[UUID] = (), *, now: datetime
) -> Recall:
    """Recall memories for a message, with the conversation's settings. `now` is in the person's
    zone."""
    found = recall(conversation.space, search_request(conversation, text, without), now=now)
    if kind_of(text) is not Kind.TODAY:
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
    kind = kind_of(text)
    named = forget_what(text) if kind is Kind.FORGET else ""
    return SearchRequest(
        named or text,
        profile=LISTED.get(kind) or conversation.profile or None,
        limit=MOST_KNOWN if kind in LISTED else MOST_MEANT if named else None,
        without=without,
        reader=Reader(conversation.user_id),
        min_relevance=0.0 if named or kind in LISTED else None,
        each_once=not named,
    )
