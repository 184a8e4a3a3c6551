"""A request's exchange: begins it in the conversation, recalls for it and stores its end."""

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Unpack

from accounts.models import Space
from assessor.llm import ModelError
from chat.choices import Choices
from chat.models import Message
from chat.replies.leases import keep_renewing
from chat.replies.services import Reply, finish_reply
from chat.replies.writing import recall_for
from chat.responders.builtin import BuiltinResponder
from endpoints.completions.conversation_lookup import Names
from endpoints.completions.draft import Draft
from endpoints.completions.messages import Said
from endpoints.completions.schemas import Json
from endpoints.completions.services import begin_exchange
from foundation.database.connections import in_last_thread, in_thread
from foundation.database.leases import database_now
from foundation.texts.storable import storable
from memory.drafts import MAX_CONTENT
from memory.embeddings import EmbeddingError
from memory.memories.schemas import memories_out, results_out
from memory.recall.recall import Recall

MODEL_NAME_LENGTH = 120


class Exchange:
    """Begins immediately; `opened` waits until the user's message is stored, then recalls."""

    def __init__(
        self,
        space: Space,
        said: Said,
        names: Names,
        *,
        now: datetime,
        learns: bool,
        **choices: Unpack[Choices],
    ) -> None:
        self.ended = False
        self.recalled: list[Json] = []
        self.standing: list[Json] = []
        self._found: Recall | None = None
        self._renewing: asyncio.Task[None] | None = None
        self._said = said
        # Runs as a separate task, so that a reply is ended even if the client disconnects now.
        self._beginning = asyncio.ensure_future(
            in_thread(
                begin_exchange,
                space=space,
                said=said,
                names=names,
                now=now,
                learns=learns,
                **choices,
            )
        )

    async def opened(self) -> tuple[Message, Recall | None]:
        """Return the reply's row and the recall. Raises InvalidArguments, EmbeddingError."""
        message = await asyncio.shield(self._beginning)
        self._renewing = asyncio.create_task(keep_renewing(message))
        text = self._said.text[:MAX_CONTENT]
        self._found = found = await in_thread(
            recall_for, message.conversation, text, said_by=message.said_by
        )
        if found:
            self.recalled = results_out(found.results)
            self.standing = memories_out(found.standing)
        return message, found

    async def end(
        self, draft: Draft, state: str, error: ModelError | EmbeddingError | None = None
    ) -> None:
        """Store the answer, even if the client disconnects now."""
        message = await asyncio.shield(self._beginning)
        if self._renewing is not None:
            self._renewing.cancel()
        reply = self._reply(message, draft, state)
        if error is not None:
            reply = replace(reply, error=storable(str(error)), error_code=error.code)

        def store() -> None:
            finish_reply(message=message, reply=reply, now=database_now())

        await asyncio.shield(in_last_thread(store))
        self.ended = True

    async def abandon(self, draft: Draft) -> None:
        """Store the answer so far, unless it is stored already or nothing was begun."""
        if self.ended:
            return
        await asyncio.wait([self._beginning])
        if self._beginning.cancelled() or self._beginning.exception():
            return
        # The client may disconnect after the last word, before the stream's end.
        state = Message.State.DONE if draft.finish_reason else Message.State.STOPPED
        await self.end(draft, state)

    def _reply(self, message: Message, draft: Draft, state: str) -> Reply:
        """Return the whole reply; text after a tool's result is added to the text
        before the call.
        """
        earlier = message.content if self._said.goes_on else ""
        used = {result["memory"]["id"] for result in message.recalled}
        ids = self._found.memory_ids if self._found else []
        return Reply(
            state=state,
            content="\n\n".join(text for text in (earlier, storable(draft.text)) if text),
            model=storable(draft.model)[:MODEL_NAME_LENGTH],
            recalled=self.recalled or message.recalled,
            standing=self.standing or message.standing,
            recall_ms=self._found.took_ms if self._found else None,
            memory_ids=[pk for pk in ids if str(pk) not in used],
            usage=draft.usage,
            goes_on=draft.asks_tools,
            is_cut=draft.is_cut,
            is_builtin=draft.model == BuiltinResponder.label,
        )
