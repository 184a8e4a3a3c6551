"""Finds the conversation of a request by the similarity of its history.

Clients trim the history and change replies: they leave out parts, correct or translate them. They
mostly keep the person's own messages unchanged.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from uuid import UUID

from accounts.models import Space
from assessor.llm import ChatMessage
from chat.models import Conversation, ConversationQuerySet, Message

# The latest conversations without a name that are compared, and their latest messages.
CONVERSATIONS, MESSAGES = 30, 600
# The latest messages of the client's history that are compared.
COMPARED = 8
# Share of common words by which two messages are the same, or one reply is a version of another.
SAME, VERSION = 0.8, 0.3
# A shorter message, such as "yes, please", is said in many conversations.
FEW_WORDS = 4
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")

Words = Set[str]
Spoken = tuple[str, Words]
"""The role of a message and its words."""


def most_alike(
    space: Space, conversations: ConversationQuerySet, history: Sequence[ChatMessage]
) -> Conversation | None:
    """Return the conversation among these that is most similar to the history without its last
    message.

    It must be recent and similar enough: two of the user's messages are the same, or one is and a
    reply is a version of the other. Otherwise return the only conversation that contains the
    previous message, if it ends with that message. Returns None if there is none.
    """
    earlier = [(message.role, words_of(message.content)) for message in history[:-1]][-COMPARED:]
    if not earlier:
        return None
    recent = _recent(space, conversations)
    likeness = {pk: _likeness(earlier, said) for pk, said in recent.items()}
    best = max(likeness, key=likeness.__getitem__, default=None)
    if best is None or not likeness[best]:
        best = _ending_with(earlier, recent)
    if best is None:
        return None
    return conversations.select_related("space").filter(pk=best).first()


def words_of(text: str) -> Words:
    """Return the words of a text; Chinese as single characters."""
    return set(_WORD.findall(text.casefold()))


def _recent(space: Space, conversations: ConversationQuerySet) -> dict[UUID, list[Spoken]]:
    """Return the messages of the latest conversations without a name, latest first."""
    unnamed = conversations.filter(external_id="").order_by("-updated_at")[:CONVERSATIONS]
    ids = list(unnamed.values_list("pk", flat=True))
    rows = Message.objects.in_space(space).shown().filter(conversation__in=ids)
    found = defaultdict[UUID, list[Spoken]](list, {pk: [] for pk in ids})
    latest = rows.order_by("-created_at", "-position")
    for pk, role, text in latest.values_list("conversation_id", "role", "content")[:MESSAGES]:
        found[pk].append((role, words_of(text)))
    return found


def _likeness(earlier: Sequence[Spoken], said: Sequence[Spoken]) -> float:
    """Return the mean share of common words of the messages, or 0 if too few are alike."""
    shares = [
        max((_common(words, other) for role, other in said if role == by), default=0.0)
        for by, words in earlier
    ]
    own = [
        share >= SAME and len(words) >= FEW_WORDS
        for (by, words), share in zip(earlier, shares, strict=True)
        if by == "user"
    ]
    replies = [share for (by, _), share in zip(earlier, shares, strict=True) if by != "user"]
    is_version = any(share >= VERSION for share in replies)
    if sum(own) >= 2 or (any(own) and is_version):
        return sum(shares) / len(shares)
    return 0.0


def _ending_with(earlier: Sequence[Spoken], recent: Mapping[UUID, Sequence[Spoken]]) -> UUID | None:
    """Return the conversation that ends with the history's last user message, if no other
    conversation contains that message."""
    asked = next((words for by, words in reversed(earlier) if by == "user"), frozenset())
    if len(asked) < FEW_WORDS:
        return None
    own = {pk: [words for by, words in said if by == "user"] for pk, said in recent.items()}
    found = [pk for pk, texts in own.items() if asked in texts]
    return found[0] if len(found) == 1 and own[found[0]][0] == asked else None


def _common(one: Words, other: Words) -> float:
    """Return the share of common words (Dice); 1 if one text is a part of the other."""
    if not (one and other):
        return 0.0
    shorter, common = min(len(one), len(other)), len(one & other)
    is_part = shorter >= FEW_WORDS and common == shorter
    return 1.0 if is_part else 2 * common / (len(one) + len(other))
