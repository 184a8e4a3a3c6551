"""The OpenAI-compatible API: `POST /v1/chat/completions`, `GET /v1/models`."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils import timezone
from ninja import Header, Path, Router

from accounts.authentication import Access, access_to, user_in_header
from assessor.llm import ModelError
from assessor.llm.errors import ModelNotFound
from assessor.screening import GATE_HEADER
from chat.replies.sse import event_stream
from endpoints.completions.backends import get_backend
from endpoints.completions.conversation_lookup import Names, conversation_in
from endpoints.completions.embeddings import embedding_models
from endpoints.completions.errors import answer_to
from endpoints.completions.gate import refuse, stated_reason
from endpoints.completions.messages import read
from endpoints.completions.relay import Call, answered
from endpoints.completions.schemas import (
    CompletionIn,
    CompletionOut,
    Json,
    MemoryHeaders,
    ModelList,
    ModelOut,
)
from foundation.database.connections import in_thread, release_request_connection

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
    options: Header[MemoryHeaders],
) -> HttpResponseBase:
    """Return the model's answer to a chat with memory.

    With `stream`, the answer comes as server-sent events. A program's own prompt is answered, but
    neither stored nor assessed; the header `X-Ebb-Gate` says why. The header `X-Ebb-User`,
    otherwise `user`, otherwise `safety_identifier`, names the user whose memories are recalled and
    learned.
    """
    metadata = (asked.model_extra or {}).get("metadata")
    call = await call_of(request, asked, options, metadata)
    await release_request_connection()
    backend = await in_thread(get_backend, call.space)
    backend.accept(_special(asked.model_extra or {}), options)
    parts = answered(call, backend)
    if not asked.stream:
        async with aclosing(parts):
            ebb, whole = [part async for part in parts]
        return named_response(JsonResponse({**whole, "ebb": ebb}), ebb, call)
    # If the model refuses, the response is an HTTP error instead of a stream. So the stream begins
    # here. If nobody reads it, Python still closes it, and with it the request to the model.
    ebb = await anext(parts)
    return named_response(event_stream(_events(ebb, parts)), ebb, call)


def _special(extra: Json) -> Json:
    """Return the options that only a language model can follow."""
    return {
        name: extra[name] for name in ("functions", "response_format", "tools") if name in extra
    }


async def call_of(
    request: HttpRequest, asked: CompletionIn, options: MemoryHeaders, metadata: object
) -> Call:
    """Return the call for `answered`, from the body and the headers; the body overrides the
    headers.

    `metadata` is the client's field of that name. Raises Forbidden if the key lacks the scope.
    """
    access = writer_of(request, asked.user or asked.safety_identifier)
    now = access.here(timezone.now(), asked.ebb.timezone)
    conversation = asked.ebb.conversation or options.conversation or conversation_in(metadata)
    gated = await in_thread(
        refuse,
        space=access.space,
        said=read(asked.messages),
        stated=stated_reason(request.headers, metadata),
        now=now,
    )
    return Call(
        access.space,
        asked,
        Names(conversation or "", asked.user or "", access.owner),
        memory=asked.ebb.memory or options.x_ebb_memory,
        now=now,
        gated=gated,
        learns=access.learns,
    )


def writer_of(request: HttpRequest, user: str | None) -> Access:
    """Return the access of a caller who may write, for the user in the header X-Ebb-User, or
    otherwise for this user.
    """
    return access_to(request, "write", user_in_header(request) or user or None)


def named_response(response: HttpResponseBase, ebb: Json, call: Call) -> HttpResponseBase:
    """Add the conversation's id, and the gate's reason, as headers: SDKs hide unknown fields."""
    if call.gated:
        response.headers[GATE_HEADER] = call.gated
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
    """List `ebb`, the configured model, the other models of its endpoint, then the embedding
    models.
    """
    access = access_to(request, "read")
    await release_request_connection()
    backend = await in_thread(get_backend, access.space)
    default = {"id": "ebb", "object": "model", "created": 0, "owned_by": "ebb"}
    listed = [default, *await backend.models(), *embedding_models(access.space)]
    return JsonResponse({"object": "list", "data": listed})


@router.get(
    "models/{path:model}", response=ModelOut, url_name="model", operation_id="retrieveModel"
)
async def retrieve_model(request: HttpRequest, model: Path[str]) -> HttpResponse:
    """Return one model. "ebb" and "default" name the configured model."""
    access = access_to(request, "read")
    await release_request_connection()
    backend = await in_thread(get_backend, access.space)
    wanted = backend.chosen(model)
    for known in [*await backend.models(), *embedding_models(access.space)]:
        if known.get("id") == wanted:
            return JsonResponse(known)
    raise ModelNotFound(model)
