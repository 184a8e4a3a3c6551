"""Writes a response: turns the parts of a chat completion into output items and events."""

from copy import deepcopy
from datetime import datetime
from itertools import count

from pydantic import ValidationError

from assessor.llm import ModelError, ToolCall
from assessor.llm.errors import ModelBadAnswer, ModelRateLimited
from assessor.llm.thoughts import ThoughtFilter
from assessor.llm.wire import ChunkPart, StreamedReply
from endpoints.completions.schemas import Json
from endpoints.responses.schemas import ResponseIn

# The field of a content part that holds its text.
_FIELDS = {"output_text": "text", "refusal": "refusal"}
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


def new_response(asked: ResponseIn, *, id_: str, model: str, ebb: Json, now: datetime) -> Json:
    """Return a response without output, as it is when the model begins."""
    named = {"id": asked.conversation} if asked.conversation else None
    return {
        "id": id_,
        "object": "response",
        "created_at": int(now.timestamp()),
        "status": "in_progress",
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": asked.instructions,
        "max_output_tokens": asked.max_output_tokens,
        "model": model,
        "output": [],
        "parallel_tool_calls": asked.parallel_tool_calls is not False,
        "previous_response_id": asked.previous_response_id,
        "conversation": named,
        "reasoning": asked.reasoning or {"effort": None, "summary": None},
        # Without a conversation, the response has nothing to belong to.
        "store": asked.is_stored and ebb["conversation_id"] is not None,
        "text": {"format": {"type": "text"}, **(asked.text or {})},
        "tool_choice": asked.tool_choice or "auto",
        "tools": asked.tools or [],
        "truncation": "disabled",
        "usage": None,
        "metadata": asked.metadata or {},
        **{name: getattr(asked, name, None) for name in ("temperature", "top_p", "user")},
        "ebb": ebb,
    }


class ResponseWriter:
    """Writes one response. Each method returns the events that report its changes."""

    def __init__(self, response: Json) -> None:
        self.response = response
        self._key = response["id"].partition("_")[2]
        self._numbers = count()
        self._reply, self._thoughts = StreamedReply(), ThoughtFilter()
        self._usage: Json | None = None
        # The message is the first item; it is opened with its first text.
        self._message: Json = {"type": "message", "role": "assistant", "content": []}

    def begin(self) -> list[Json]:
        """Return the first two events."""
        kinds = ("response.created", "response.in_progress")
        return [self._event(kind, response=self.response) for kind in kinds]

    def add(self, part: Json) -> list[Json]:
        """Add a chunk or a whole answer. Raises ModelBadAnswer if it cannot be read."""
        try:
            chunk = ChunkPart.model_validate(_as_chunk(part))
        except ValidationError as error:  # its text quotes the answer
            raise ModelBadAnswer(type(error).__name__) from None
        if isinstance(model := part.get("model"), str) and model:
            self.response["model"] = model
        if chunk.usage is not None:
            self._usage = _usage(part["usage"])
        events = self._say("output_text", self._thoughts.add(self._reply.add(chunk)))
        for delta in [choice.delta for choice in chunk.choices or [] if choice.delta]:
            events += self._say("refusal", delta.refusal or "")
        return events

    def end(self) -> list[Json]:
        """Close all items; the last event has the whole response."""
        events = self._say("output_text", self._thoughts.rest())
        finish_reason = self._reply.finished().finish_reason
        reason = _INCOMPLETE.get(finish_reason)
        status = "incomplete" if reason else "completed"
        events += self._close_message(status)
        for call in self._reply.tool_calls():
            events += self._call(call, status)
        details = {"reason": reason} if reason else None
        self.response |= {
            "status": status, "incomplete_details": details, "usage": self._usage
        }  # fmt: skip
        return [*events, self._event(f"response.{status}", response=self.response)]

    def fail(self, error: ModelError) -> list[Json]:
        """Return the last event of a response whose model failed."""
        limited = isinstance(error, ModelRateLimited)
        code = "rate_limit_exceeded" if limited else "server_error"
        self._close_message("incomplete")
        self.response |= {"status": "failed", "error": {"code": code, "message": str(error)}}
        return [self._event("response.failed", response=self.response)]

    def _say(self, kind: str, text: str) -> list[Json]:
        """Add text to the message, in a part of this kind."""
        if not text:
            return []
        events = []
        if "id" not in self._message:
            events.append(self._open(self._message, "msg"))
        parts = self._message["content"]
        if not parts or parts[-1]["type"] != kind:
            events += self._close_part()
            parts.append({"type": kind, _FIELDS[kind]: ""} | _more(kind, annotations=[]))
            events.append(self._part_event("response.content_part.added", part=parts[-1]))
        parts[-1][_FIELDS[kind]] += text
        more = _more(kind, logprobs=[])
        return [*events, self._part_event(f"response.{kind}.delta", delta=text, **more)]

    def _call(self, call: ToolCall, status: str) -> list[Json]:
        """Add a function call: models send its arguments whole or in pieces, we send them whole."""
        item = {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": ""}
        events = [self._open(item, "fc")]
        item |= {"arguments": call.arguments, "status": status}
        place = {"item_id": item["id"], "output_index": len(self.response["output"]) - 1}
        kind, arguments = "response.function_call_arguments", call.arguments
        return [
            *events,
            self._event(f"{kind}.delta", **place, delta=arguments),
            self._event(f"{kind}.done", **place, arguments=arguments, name=call.name),
            self._event("response.output_item.done", output_index=place["output_index"], item=item),
        ]

    def _open(self, item: Json, prefix: str) -> Json:
        """Add an item to the output and give it an id from which its response can be found."""
        output = self.response["output"]
        item |= {"id": f"{prefix}_{self._key}_{len(output)}", "status": "in_progress"}
        output.append(item)
        return self._event("response.output_item.added", output_index=len(output) - 1, item=item)

    def _close_message(self, status: str) -> list[Json]:
        if "id" not in self._message:
            return []
        events = self._close_part()
        self._message["status"] = status
        done = self._event("response.output_item.done", output_index=0, item=self._message)
        return [*events, done]

    def _close_part(self) -> list[Json]:
        if not self._message["content"]:
            return []
        part = self._message["content"][-1]
        kind, field = part["type"], _FIELDS[part["type"]]
        text = {field: part[field]} | _more(kind, logprobs=[])
        return [
            self._part_event(f"response.{kind}.done", **text),
            self._part_event("response.content_part.done", part=part),
        ]

    def _part_event(self, kind: str, **fields: object) -> Json:
        """Return an event about the last part of the message."""
        place = {"item_id": self._message["id"], "output_index": 0}
        index = len(self._message["content"]) - 1
        return self._event(kind, **place, content_index=index, **fields)

    def _event(self, kind: str, **fields: object) -> Json:
        # A copy, because the items change before the event is sent.
        return {"type": kind, "sequence_number": next(self._numbers), **deepcopy(fields)}


def _as_chunk(part: Json) -> Json:
    """Return a whole answer as the only chunk of a stream; a chunk stays as it is."""
    choices = part.get("choices")
    if not isinstance(choices, list):
        return part
    return {**part, "choices": [_as_delta(choice) for choice in choices]}


def _as_delta(choice: object) -> object:
    if not isinstance(choice, dict) or "message" not in choice:
        return choice
    return {"delta": choice["message"], "finish_reason": choice.get("finish_reason") or "stop"}


def _more(kind: str, **fields: object) -> Json:
    """Return the fields that only text parts have."""
    return fields if kind == "output_text" else {}


def _usage(counted: Json) -> Json:
    """Return a completion's token counts in the form of a response's."""
    prompt, completion = counted["prompt_tokens"], counted["completion_tokens"]
    cached = counted.get("prompt_tokens_details") or {}
    thought = counted.get("completion_tokens_details") or {}
    return {
        "input_tokens": prompt,
        "input_tokens_details": {
            "cached_tokens": cached.get("cached_tokens") or 0,
            "cache_write_tokens": cached.get("cache_write_tokens") or 0,
        },
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": thought.get("reasoning_tokens") or 0},
        "total_tokens": prompt + completion,
    }
