"""Erases purged memories from replies, which store the memories recalled and saved for them, and
from the assessments of replies that quote these memories.

The conversation's own messages remain until the conversation is deleted.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast, Concat

from accounts.models import Space
from assessor.outbox.erasure import rewrite
from chat.models import Message
from memory.models import Memory

_FIELDS = ("recalled", "standing", "missed", "tool_calls")
_EMPTY: dict[str, Any] = {"content": "", "tags": [], "topics": [], "metadata": {}}


def erase(space: Space, memories: Sequence[Memory]) -> None:
    """Empty these memories' texts in the recalled memories of replies, and the tool calls that
    mention them.

    Tools name memories by their short ids, with which the full ids begin.
    """
    ids = {memory.short_id for memory in memories}
    stored = Concat(*(Cast(name, TextField()) for name in _FIELDS), output_field=TextField())
    replies = Message.objects.in_space(space).filter(role=Message.Role.ASSISTANT)
    changed, texts = [], set[str]()
    for reply in replies.annotate(stored=stored).filter(stored__regex="|".join(ids)):
        texts |= _texts_of(reply, ids)
        reply.recalled = [_without_text(hit, ids) for hit in reply.recalled]
        reply.standing = [_emptied(rule, ids) for rule in reply.standing]
        reply.missed = [_without_text(hit, ids) for hit in reply.missed]
        reply.tool_calls = [_without_words(call, ids) for call in reply.tool_calls]
        changed.append(reply)
    Message.objects.in_space(space).bulk_update(changed, _FIELDS, batch_size=500)
    _erase_quotations(space, changed, texts)


def _erase_quotations(space: Space, replies: Collection[Message], texts: Collection[str]) -> None:
    """Remove these texts from the assessments of the conversations in which replies quote them."""
    longest_first = sorted(filter(None, texts), key=len, reverse=True)
    if not longest_first:
        return
    conversations = {reply.conversation_id for reply in replies}
    others = Message.objects.in_space(space).filter(conversation__in=conversations)
    exchanges = others.filter(assessment__isnull=False).values_list("assessment", flat=True)
    known = re.compile("|".join(map(re.escape, longest_first)))
    rewrite(space, list(exchanges), lambda text: known.sub("", text))


def _texts_of(reply: Message, ids: Collection[str]) -> set[str]:
    """Return these memories' texts as they were given to the reply."""
    given = [*(hit["memory"] for hit in (*reply.recalled, *reply.missed)), *reply.standing]
    return {memory["content"] for memory in given if memory["id"][:8] in ids}


def _without_text(hit: dict[str, Any], ids: Collection[str]) -> dict[str, Any]:
    return hit | {"memory": _emptied(hit["memory"], ids)}


def _emptied(memory: dict[str, Any], ids: Collection[str]) -> dict[str, Any]:
    if memory["id"][:8] not in ids:
        return memory
    return memory | {name: value for name, value in _EMPTY.items() if name in memory}


def _without_words(call: dict[str, Any], ids: Collection[str]) -> dict[str, Any]:
    said = str(call)
    if not any(one in said for one in ids):
        return call
    written = call["memory"] and call["memory"] | {"content": ""}
    return call | {"arguments": {}, "text": "", "memory": written}
