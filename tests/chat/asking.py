"""One request to Ebb in its own event loop, whose connections to the chat model are closed."""

from typing import Any

from asgiref.sync import async_to_sync
from django.test import AsyncClient

from accounts.models import Space
from assessor.llm import get_model
from memory.model_connections.choosing import chosen_model
from memory.models import Purpose
from tests.conftest import Answer


def ask(secret: str, space: Space, path: str, body: dict[str, Any]) -> tuple[Answer, bytes]:
    """Return the answer to a POST with this key, and its whole content."""

    async def asked() -> tuple[Any, bytes]:
        program = AsyncClient()
        answer: Any = await program.post(
            path,
            body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )
        if answer.streaming:
            content = b"".join([part async for part in answer.streaming_content])
        else:
            content = answer.content
        if chosen is not None:
            await get_model(**chosen.configuration).aclose()
        return answer, content

    chosen = chosen_model(Purpose.CHAT, space)
    answer: tuple[Answer, bytes] = async_to_sync(asked)()
    return answer
