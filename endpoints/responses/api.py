"""OpenAI's Responses API: create a response, retrieve or delete one."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from uuid import uuid4

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils import timezone
from ninja import Header, Router

from accounts.authentication import access_to
from assessor.llm import ModelError
from chat.replies import sse
from endpoints.completions.api import call_of, named_response, writer_of
from endpoints.completions.backends import Backend, get_backend
from endpoints.completions.relay import Call, answered
from endpoints.completions.schemas import Json, MemoryHeaders
from endpoints.responses.completion_request import completion_of
from endpoints.responses.history import Continued, continued
from endpoints.responses.schemas import DeletedOut, ResponseIn, ResponseOut
from endpoints.responses.services import delete_response, get_response, keep_response
from endpoints.responses.writer import ResponseWriter, new_response
from foundation.database.connections import in_last_thread, in_thread, release_request_connection

router = Router(tags=["Responses"])


@router.post("responses", response=ResponseOut, url_name="responses", operation_id="createResponse")
async def create_response(
    request: HttpRequest, asked: ResponseIn, options: Header[MemoryHeaders]
) -> HttpResponseBase:
    """Return the model's response to a request with memory.

    With `stream`, it comes as server-sent events.
    """
    access = writer_of(request, asked.user or asked.safety_identifier)
    space = access.space
    await release_request_connection()
    before = await in_thread(continued, space, access.owner, asked)
    completion = completion_of(asked, before.history, before.items, before.conversation)
    backend = await in_thread(get_backend, space)
    backend.accept({"tools": asked.tools, "text.format": asked.format}, options)
    call = await call_of(request, completion, options, asked.metadata)
    work = _Work(call, asked, before, backend)
    parts = answered(call, backend)
    if not asked.stream:
        async with aclosing(parts):
            writer = work.writer(await anext(parts))
            async for part in parts:
                writer.add(part)
        writer.end()
        await work.keep(writer)
        return named_response(JsonResponse(writer.response), writer.response["ebb"], call)
    # As in endpoints.completions.api: a refusal by the model gives an HTTP status, not a stream.
    writer = work.writer(await anext(parts))
    stream = sse.event_stream(_events(work, writer, parts))
    return named_response(stream, writer.response["ebb"], call)


@dataclass(frozen=True)
class _Work:
    """A request on its way to the model."""

    call: Call
    asked: ResponseIn
    before: Continued
    backend: Backend

    def writer(self, ebb: Json) -> ResponseWriter:
        """Return the writer of a new response."""
        model, now = self.backend.chosen(self.asked.model), timezone.now()
        id_ = f"resp_{uuid4().hex}"
        return ResponseWriter(new_response(self.asked, id_=id_, model=model, ebb=ebb, now=now))

    async def keep(self, writer: ResponseWriter) -> None:
        """Store the ended response, unless the client wants no storage."""
        if writer.response["store"]:
            await in_last_thread(
                keep_response,
                space=self.call.space,
                response=writer.response,
                items=self.before.items,
                now=timezone.now(),
            )


async def _events(
    work: _Work, writer: ResponseWriter, parts: AsyncGenerator[Json]
) -> AsyncGenerator[bytes]:
    """Yield the response's events. It is stored before the last one, which clients wait for."""
    async with aclosing(parts):
        for event in writer.begin():
            yield _encoded(event)
        try:
            async for part in parts:
                for event in writer.add(part):
                    yield _encoded(event)
            last = writer.end()
        except ModelError as error:
            last = writer.fail(error)
        else:
            await work.keep(writer)
        for event in last:
            yield _encoded(event)


def _encoded(event: Json) -> bytes:
    return sse.event(event["type"], json.dumps(event))


@router.get(
    "responses/{id}", response=ResponseOut, url_name="response", operation_id="retrieveResponse"
)
def retrieve_response(request: HttpRequest, id: str) -> HttpResponse:
    """Return a stored response, without the recalled memories and standing rules."""
    access = access_to(request, "read")
    return JsonResponse(get_response(access.space, access.reader, id).body)


@router.delete(
    "responses/{id}",
    response=DeletedOut,
    url_name="response_delete",
    operation_id="deleteResponse",
)
def remove_response(request: HttpRequest, id: str) -> DeletedOut:
    """Delete a stored response. Its conversation and its memories stay."""
    access = access_to(request, "write")
    delete_response(space=access.space, reader=access.reader, response_id=id)
    return DeletedOut(id=id)
