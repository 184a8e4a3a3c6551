"""Redaction: permanently replaces secrets, or whole messages, in a conversation.

Memories are not changed: their secrets were masked before they were saved.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from accounts.audit import note
from accounts.models import AuditAction, Space
from assessor.models import Assessment
from assessor.outbox.erasure import rewrite
from chat.models import UNFINISHED, Conversation, Message, StoredResponse
from chat.replies.turns import title_of
from chat.why.relevance import question_of
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from memory.models import Memory
from memory.text.secrets import has_label, mask_json, mask_secrets, mask_values, secrets_in

REDACTED = "[redacted]"
_JSON = ("tool_calls", "recalled", "missed", "standing")

Mask = Callable[[str], str]


def shows_secret(reply: Message) -> bool:
    """Return whether masking found a secret in the exchange that its messages still show."""
    masked = reply.assessment
    if masked is None or not has_label(masked.user_message + masked.assistant_response):
        return False
    return bool(secrets_in([question_of(reply), reply.content]))


@transaction.atomic
def redact_secrets(*, space: Space, conversation_id: UUID, actor: Actor, now: datetime) -> None:
    """Mask the secrets of a conversation in all its messages. This cannot be undone.

    Raises NotFound, or Conflict while a reply is being written or if there is no secret.
    """
    conversation = _locked(space, conversation_id)
    said = Message.objects.in_space(space).of(conversation).values_list("content", flat=True)
    values = secrets_in(said)
    if not values:
        raise Conflict("Ebb finds no secret in this conversation.")

    def repeated(text: str) -> str:
        """Mask only the secrets found in the messages: the patterns of secrets would also match ids
        in JSON.
        """
        return mask_values(text, values)

    _rewrite(conversation, lambda text: repeated(mask_secrets(text)), repeated, actor, now)


def redact_sources(
    *, space: Space, memories: Sequence[Memory], actor: Actor, now: datetime
) -> None:
    """Replace the whole text of the messages that these memories were learned from. This cannot be
    undone. Raises Conflict while a reply is being written in one of the conversations."""
    replies = _replies_behind(space, memories)
    for conversation_id in sorted({reply.conversation_id for reply in replies}):
        conversation = _locked(space, conversation_id)
        own = [reply for reply in replies if reply.conversation_id == conversation_id]
        texts = {text for reply in own for text in (question_of(reply), reply.content) if text}
        mask = _replacing(texts)
        _rewrite(conversation, mask, mask, actor, now)


def _replacing(texts: Collection[str]) -> Mask:
    return lambda text: REDACTED if text in texts else text


def _replies_behind(space: Space, memories: Sequence[Memory]) -> list[Message]:
    """Return the replies whose exchanges, or whose tool calls, made these memories."""
    sources = [memory.source_assessment for memory in memories if memory.source_assessment]
    spans = Assessment.objects.in_space(space).filter(part_of__in=sources)
    made = Q(assessment__in=[*sources, *spans.values_list("pk", flat=True)])
    for memory in memories:
        made |= Q(tool_calls__contains=[{"memory": {"id": str(memory.pk)}}])
    replies = Message.objects.in_space(space).filter(role=Message.Role.ASSISTANT)
    return list(replies.filter(made).select_related("space"))


def _locked(space: Space, conversation_id: UUID) -> Conversation:
    """Return the conversation, deleted or not, locked. Raises NotFound, and Conflict while a reply
    is being written, which may repeat the text."""
    rows = Conversation.objects.filter(space_id=space.pk, pk=conversation_id)
    conversation = rows.select_for_update().first()
    if conversation is None:
        raise NotFound("Conversation not found.")
    if Message.objects.in_space(space).of(conversation).filter(UNFINISHED).exists():
        raise Conflict("A reply is still being written. Stop it first.")
    return conversation


def _rewrite(
    conversation: Conversation, mask: Mask, in_json: Mask, actor: Actor, now: datetime
) -> None:
    """Apply `mask` to the texts of the conversation and of its assessments, and `in_json` to the
    texts in JSON. Record the actor in the activity log.
    """
    space = conversation.space
    messages = list(Message.objects.in_space(space).of(conversation))
    titles = {title_of(message.content): message for message in messages}
    for message in messages:
        message.content = mask(message.content)
        for name in _JSON:
            setattr(message, name, mask_json(getattr(message, name), in_json))
    Message.objects.in_space(space).bulk_update(messages, ("content", *_JSON), batch_size=200)
    _rewrite_responses(conversation, in_json)
    # A title is the beginning of a message, and may end within the secret.
    named_after = titles.get(conversation.title)
    conversation.title = title_of(named_after.content) if named_after else mask(conversation.title)
    conversation.save(update_fields=["title"])
    exchanges = [one.assessment_id for one in messages if one.assessment_id]
    rewrite(space, exchanges, mask)
    note(
        space=space,
        actor=actor,
        action=AuditAction.MESSAGE_REDACTED,
        subject=str(conversation.pk),
        now=now,
    )


def _rewrite_responses(conversation: Conversation, mask: Mask) -> None:
    """Apply the mask to the responses that clients of the Responses API stored in the
    conversation.
    """
    rows = StoredResponse.objects.filter(
        space_id=conversation.space_id, conversation_id=conversation.pk
    )
    stored = list(rows)
    for response in stored:
        response.items = mask_json(response.items, mask)
        response.body = mask_json(response.body, mask)
    rows.bulk_update(stored, ("items", "body"), batch_size=200)
