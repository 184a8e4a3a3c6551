"""The parts of a request that an endpoint accepts. OpenAI-compatible endpoints differ in them.

A request first has all parts. If the endpoint refuses one of them, Ebb sends the request again
without it. Once an answer arrives, Ebb remembers the endpoint's dialect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import openai

from assessor.llm.portable import BOUNDS, unbounded
from assessor.llm.sdk_errors import TOO_LONG, endpoint_said

Messages = Sequence[Mapping[str, Any]]

ANSWER = "answer"
"""The name of the schema and of the tool by which an answer is requested."""
_NAMES_FORMAT = re.compile(
    r"response.?format|json.?schema|json.?object|structured|schema|grammar|tool|function"
)
_NAMES_BOUND = re.compile("|".join(BOUNDS), re.IGNORECASE)
_NAMES_SYSTEM_ROLE = re.compile(r"system (role|message)|(role|message)\W.{0,40}\bsystem\b")


def _strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": ANSWER, "schema": schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    named = {"name": ANSWER, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _object_with_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    # llama-cpp-python turns this schema into a grammar.
    return {"response_format": {"type": "json_object", "schema": schema}}


def _object(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"response_format": {"type": "json_object"}}


def _tool_call(schema: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": ANSWER, "description": "Record the answer.", "parameters": schema}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": ANSWER}},
    }


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {}


FORMATS: tuple[Callable[[Mapping[str, Any]], dict[str, Any]], ...] = (
    _strict,
    _schema,
    _object_with_schema,
    _object,
    _tool_call,
    _plain,
)
"""The ways to request an answer with a JSON schema, the most reliable first."""
FORMAT_NAMES = (
    "json_schema, strict",
    "json_schema",
    "json_object with schema",
    "json_object",
    "tool call",
    "plain prompt",
)
"""The formats' names, for people."""
_SCHEMA_IN_PROMPT = (_object_with_schema, _object, _plain)


@dataclass(frozen=True)
class Wish:
    """The parts of a request that an endpoint may refuse."""

    schema: Mapping[str, Any] | None = None
    tools: Sequence[Mapping[str, Any]] | None = None
    stream: bool = False
    # The length of a judgement, which is also to be the same each time; None for a reply.
    max_tokens: int | None = None


THOUGHTS = 4000
"""Tokens that a model may need for its thoughts, which count as its answer's."""


@dataclass(frozen=True)
class Dialect:
    """The known dialect of an endpoint; `format` is an index into FORMATS. `thinks` says that its
    model needs THOUGHTS before an answer.
    """

    format: int = 0
    bounds: bool = True
    tools: bool = True
    stream_usage: bool = True
    system_role: bool = True
    temperature: bool = True
    limit: str = "max_tokens"
    thinks: bool = False

    def request(self, messages: Messages, wish: Wish) -> dict[str, Any]:
        """Return the request's body without its model."""
        body: dict[str, Any] = {"messages": list(messages)}
        if wish.schema is not None:
            asked = FORMATS[self.format]
            schema = wish.schema if self.bounds else unbounded(wish.schema)
            body |= asked(schema)
            if asked in _SCHEMA_IN_PROMPT:
                body["messages"] = _with_schema(messages, schema)
        if wish.max_tokens is not None:
            body[self.limit] = wish.max_tokens + (THOUGHTS if self.thinks else 0)
            if self.temperature:
                body["temperature"] = 0
        if wish.tools and self.tools:
            body["tools"] = wish.tools
        if wish.stream:
            body["stream"] = True
            if self.stream_usage:
                body["stream_options"] = {"include_usage": True}
        if not self.system_role:
            body["messages"] = _without_system_role(body["messages"])
        return body

    def simpler(self, error: openai.APIStatusError, wish: Wish) -> Dialect | None:
        """Return the dialect to try after this refusal, or None if the refusal has another cause.

        Most endpoints refuse with 400 or 422 and do not always say why. Others fail with 404 or 500
        and name the part.
        """
        said = endpoint_said(error).lower()
        if error.status_code in {401, 403, 429} or TOO_LONG.search(said):
            return None
        rejected = error.status_code in {400, 422}
        if wish.stream and self.stream_usage and "stream_options" in said:
            return replace(self, stream_usage=False)
        if self.system_role and _NAMES_SYSTEM_ROLE.search(said):
            return replace(self, system_role=False)
        if (told := self._told(said)) and rejected and wish.max_tokens is not None:
            return told
        if wish.tools and self.tools and (rejected or "tool" in said):
            return replace(self, tools=False)
        may_step_down = wish.schema is not None and self.format < len(FORMATS) - 1
        if may_step_down and (rejected or _NAMES_FORMAT.search(said)):
            return replace(self, format=self.format + 1)
        return None

    def _told(self, said: str) -> Dialect | None:
        """Return the dialect without the part of a judgement that a refusal names, if any."""
        if self.limit == "max_tokens" and self.limit in said:
            # OpenAI's models that think accept only this name.
            return replace(self, limit="max_completion_tokens", thinks=True)
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if self.bounds and _NAMES_BOUND.search(said):
            return replace(self, bounds=False)
        return None


def _with_schema(messages: Messages, schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the messages with the schema at the end of the first one."""
    first, *others = messages
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    content = f"{first['content']}\n\nThe JSON object must follow this JSON schema:\n{text}"
    return [{**first, "content": content}, *others]


def _without_system_role(messages: Messages) -> list[Mapping[str, Any]]:
    """Return the messages with the system prompts moved to the beginning of the user's first
    message.
    """
    system = [str(one["content"]) for one in messages if one["role"] == "system"]
    others = [dict(one) for one in messages if one["role"] != "system"]
    for message in others:
        if message["role"] == "user":
            message["content"] = "\n\n".join([*system, str(message["content"])])
            break
    return [*others]
