"""The search for a conversation's message, and the memories that answer "what do you know about
me?".
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import F

from chat.models import Conversation
from chat.responders.base import MOST_KNOWN
from chat.responders.kinds import Kind
from chat.responders.utterances import forget_what, kind_of
from memory.models import Memory
from memory.policy import PolicyDocument
from memory.readers import Reader
from memory.recall.recall import SearchRequest
from memory.recall.results import repeated

MOST_MEANT = 5
"""The memories that "forget that …" may mean."""


def search_request(
    conversation: Conversation, text: str, without: Collection[UUID] = ()
) -> SearchRequest:
    """Return the search for a message, with the conversation's settings.

    Leaves out memories below the policy's minimum relevance, unless the text asks for everything.
    If the text names something to forget, this becomes the question, and a text saved several times
    is found each time.
    """
    kind = kind_of(text)
    named = forget_what(text) if kind is Kind.FORGET else ""
    return SearchRequest(
        named or text,
        profile=conversation.profile or None,
        limit=MOST_MEANT if named else None,
        without=without,
        reader=Reader(conversation.user_id),
        min_relevance=0.0 if named or kind is Kind.EVERYTHING else None,
        each_once=not named,
    )


def most_important(
    conversation: Conversation, rules: PolicyDocument, now: datetime
) -> list[Memory]:
    """Return the conversation's most important memories, each text once; one more than MOST_KNOWN
    if there are more."""
    rows = Memory.objects.in_space(conversation.space).live()
    readable = rows.readable_by(Reader(conversation.user_id))
    known = readable.defer("search").with_importance_now(decay=rules.decay, now=now)
    first = (F("current_importance").desc(), "-created_at", "pk")
    most = list(known.order_by(*first)[: 2 * MOST_KNOWN + 1])
    again = repeated(most)
    return [memory for memory in most if memory.pk not in again][: MOST_KNOWN + 1]
