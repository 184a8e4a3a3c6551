"""An ephemeral reply ("private" on pages): reads memory and stores nothing.

The client sends the whole history with each turn. There is no message row, no assessment and no
counted use.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Unpack

from django.utils import timezone

from accounts.models import Space
from assessor.llm import ChatMessage, ModelError
from chat.choices import Choices, chosen
from chat.models import Conversation, MemoryUse, Message
from chat.replies.writing import HISTORY_MESSAGES, Done, Draft, Event, Failed, recall_for, written
from chat.responders import get_responder
from foundation.database.connections import in_last_thread, in_thread
from memory.embeddings import EmbeddingError


def ephemeral_conversation(
    *, space: Space, user_id: str | None, time_zone: str = "", **choices: Unpack[Choices]
) -> Conversation:
    """Return an unsaved conversation of this user with these choices, in this time zone; memory is
    read-only at most.

    Raises InvalidArguments.
    """
    # Without a row, the database cannot fill in its defaults.
    made = {"profile": "", "model": "", "system_prompt": ""} | chosen(choices)
    conversation = Conversation(space=space, user_id=user_id, time_zone=time_zone, **made)
    if conversation.memory != MemoryUse.OFF:
        conversation.memory = MemoryUse.READ_ONLY
    return conversation


async def stream_ephemeral_reply(
    conversation: Conversation, said: Sequence[ChatMessage], *, said_by: str | None
) -> AsyncGenerator[Event]:
    """Answer the last message of this person, with the events of any reply."""
    responder = await in_thread(get_responder, conversation.space, conversation.model)
    draft, history = Draft(responder, said_by=said_by), said[-HISTORY_MESSAGES:]
    try:
        text = history[-1].content
        found = await in_thread(recall_for, conversation, text, said_by=said_by)
        async with aclosing(written(conversation, history, found, draft)) as events:
            async for happened in events:
                yield happened
    except (ModelError, EmbeddingError) as error:
        yield Failed(draft.reply(Message.State.FAILED, error), error)
    else:
        yield Done(draft.reply(Message.State.DONE))
    finally:  # also if the reader disconnects now
        await asyncio.shield(in_last_thread(responder.store_usage, timezone.now()))
