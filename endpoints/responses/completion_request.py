"""Converts a request of the Responses API to a chat completion request."""

from collections.abc import Sequence

from pydantic import ValidationError

from endpoints.completions.schemas import CompletionIn, Json
from endpoints.responses.input_items import messages_of
from endpoints.responses.schemas import ResponseIn
from foundation.errors import FieldError, InvalidArguments, refused

# These fields have a different name or no meaning in a chat completion.
_OWN = {
    "input", "instructions", "store", "previous_response_id", "conversation", "tools",
    "tool_choice", "parallel_tool_calls", "text", "max_output_tokens", "reasoning", "metadata",
    "background", "prompt", "ebb", "include", "truncation", "max_tool_calls", "stream_options",
    "context_management", "prompt_cache_retention",
}  # fmt: skip
_FUNCTION = ("name", "description", "parameters", "strict")


def completion_of(
    asked: ResponseIn, history: Sequence[Json], items: Sequence[Json], conversation: str
) -> CompletionIn:
    """Return the request for the model: the history, then the new items.

    `conversation` is the id or name of the conversation, "" if the request does not name one.
    Raises InvalidArguments for anything that a chat completion cannot express.
    """
    _refuse(asked)
    fields = asked.model_dump(exclude_none=True, exclude=_OWN)
    fields |= {name: value for name, value in _changed(asked).items() if value is not None}
    everything = [*history, *items]
    fields["messages"] = messages_of(everything, asked.instructions, known=len(history))
    if not fields["messages"]:
        raise InvalidArguments(FieldError("input", "contains nothing for a model to answer"))
    named = {"conversation": conversation} if conversation else {}
    try:
        return CompletionIn(**fields, ebb=asked.ebb.model_copy(update=named))
    except ValidationError as error:
        raise refused(error, whole="input") from None


def _refuse(asked: ResponseIn) -> None:
    """Raise InvalidArguments for options that would otherwise be ignored."""
    reasons = {
        "background": (asked.background, "Ebb answers at once only. Leave it out"),
        "prompt": (asked.prompt, "Ebb has no stored prompts. Send `instructions`"),
        "conversation": (
            asked.conversation and asked.previous_response_id,
            "cannot be combined with previous_response_id",
        ),
    }
    wrong = [FieldError(name, reason) for name, (given, reason) in reasons.items() if given]
    if wrong:
        raise InvalidArguments(*wrong)


def _changed(asked: ResponseIn) -> Json:
    """Return the fields that have another form in a chat completion; None if not given."""
    tools = [_tool(tool, place) for place, tool in enumerate(asked.tools or [])]
    return {
        "tools": tools or None,
        "tool_choice": _tool_choice(asked) if tools else None,
        "parallel_tool_calls": asked.parallel_tool_calls if tools else None,
        "response_format": _response_format(asked.format),
        "verbosity": (asked.text or {}).get("verbosity"),
        "max_completion_tokens": asked.max_output_tokens,
        "reasoning_effort": (asked.reasoning or {}).get("effort"),
        "stream_options": {"include_usage": True} if asked.stream else None,
    }


def _tool(tool: Json, place: int) -> Json:
    if tool.get("type") != "function" or not isinstance(tool.get("name"), str):
        reason = "must be a function with a name. Ebb runs no tools of OpenAI's"
        raise InvalidArguments(FieldError(f"tools.{place}", reason))
    given = {name: tool[name] for name in _FUNCTION if tool.get(name) is not None}
    return {"type": "function", "function": given}


def _tool_choice(asked: ResponseIn) -> str | Json | None:
    choice = asked.tool_choice
    if not isinstance(choice, dict):
        return choice
    if choice.get("type") != "function" or not choice.get("name"):
        reason = "must be auto, none, required or a function"
        raise InvalidArguments(FieldError("tool_choice", reason))
    return {"type": "function", "function": {"name": choice["name"]}}


def _response_format(asked: Json | None) -> Json | None:
    if asked is None or asked.get("type") != "json_schema":
        return asked
    schema = {name: value for name, value in asked.items() if name != "type" and value is not None}
    return {"type": "json_schema", "json_schema": schema}
