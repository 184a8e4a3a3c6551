"""The OpenAI-compatible API: `POST /v1/chat/completions`, `GET /v1/models`."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from ninja import Header, Path, Router

from assessor.llm import ModelError
from assessor.llm.errors import ModelNotFound
from chat.completions.backends import get_backend
from chat.completions.conversation_lookup import Names
from chat.completions.errors import answer_to
from chat.completions.relay import Call, answered
from chat.completions.schemas import (
    CompletionIn,
    CompletionOut,
    Json,
    MemoryUseName,
    ModelList,
    ModelOut,
    Name,
)
from chat.sse import event_stream
from memory.access.authentication import access_to
from memory.connections import release_request_connection

router = Router(tags=["OpenAI-compatible"])


@router.post(
    "chat/completions",
    response=CompletionOut,
    url_name="chat_completions",
    operation_id="createChatCompletion",
)
async def create_completion(
    request: HttpRequest,
    asked: CompletionIn,
    x_ebb_conversation: Header[Name | None] = None,
    x_ebb_memory: Header[MemoryUseName | None] = None,
) -> HttpResponseBase:
    """Return the model's answer to a chat with memory.

    With `stream`, it comes as server-sent events.
    """
    call = Call(
        access_to(request, "write").space,
        asked,
        Names(asked.ebb.conversation or x_ebb_conversation or "", asked.user or ""),
        memory=asked.ebb.memory or x_ebb_memory,
    )
    await release_request_connection()
    parts = answered(call, get_backend())
    if not asked.stream:
        async with aclosing(parts):
            ebb, whole = [part async for part in parts]
        return _named(JsonResponse({**whole, "ebb": ebb}), ebb)
    # A refusal by the model gives an HTTP status, not a stream. The stream begins here: if nobody
    # reads it, Python still closes it, and with it the request to the model.
    ebb = await anext(parts)
    return _named(event_stream(_events(ebb, parts)), ebb)


def _named(response: HttpResponseBase, ebb: Json) -> HttpResponseBase:
    """Add the conversation's id as a header, for SDKs that hide unknown fields."""
    if ebb["conversation_id"]:
        response.headers["X-Ebb-Conversation"] = ebb["conversation_id"]
    return response


async def _events(ebb: Json, parts: AsyncGenerator[Json]) -> AsyncGenerator[bytes]:
    """Yield each part as an event, then `[DONE]`; after an error, only the error."""
    extension = {"ebb": ebb}
    async with aclosing(parts):
        try:
            async for part in parts:
                yield _event(part | extension)
                extension = {}
        except ModelError as error:
            yield _event({"error": answer_to(error).error})
        else:
            yield b"data: [DONE]\n\n"


def _event(data: Json) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


@router.get("models", response=ModelList, url_name="models", operation_id="listModels")
async def list_models(request: HttpRequest) -> HttpResponse:
    """List the configured model, then the other models of its endpoint."""
    access_to(request, "read")
    await release_request_connection()
    return JsonResponse({"object": "list", "data": await get_backend().models()})


@router.get(
    "models/{path:model}", response=ModelOut, url_name="model", operation_id="retrieveModel"
)
async def retrieve_model(request: HttpRequest, model: Path[str]) -> HttpResponse:
    """Return one model. "ebb" and "default" name the configured model."""
    access_to(request, "read")
    await release_request_connection()
    backend = get_backend()
    wanted = backend.chosen(model)
    for known in await backend.models():
        if known.get("id") == wanted:
            return JsonResponse(known)
    raise ModelNotFound(model)
