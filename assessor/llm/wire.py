"""What we read of an endpoint's answers, and nothing more.

Endpoints that call themselves OpenAI-compatible leave out what they please, and the SDK builds its
objects without checking them. So the few fields that Ebb uses are validated here, each optional
where endpoints differ; anything else is a ValidationError.
"""

from contextlib import suppress
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from assessor.llm.base import Finished, ToolCall, Usage
from assessor.llm.errors import ModelInterrupted


def _joined(value: Any) -> Any:
    """The text, also where it comes in pieces, some of which may be thoughts (Mistral)."""
    if not isinstance(value, list):
        return value
    pieces = (piece.get("text") for piece in value if isinstance(piece, dict))
    return "".join(piece for piece in pieces if isinstance(piece, str))


_Text = Annotated[str | None, BeforeValidator(_joined)]


def _none_if_unreadable(value: Any, read: ValidatorFunctionWrapHandler) -> Usage | None:
    """An answer is not lost for its bill: some endpoints count half of it, or write {}."""
    with suppress(ValidationError):
        counted: Usage | None = read(value)
        return counted
    return None


_Usage = Annotated[Usage | None, WrapValidator(_none_if_unreadable)]


class FunctionPart(BaseModel):
    name: str | None = None
    arguments: str | None = None


class ToolCallPart(BaseModel):
    index: int | None = None
    id: str | None = None
    function: FunctionPart | None = None


class DeltaPart(BaseModel):
    content: _Text = None
    tool_calls: list[ToolCallPart] | None = None


class ChoicePart(BaseModel):
    delta: DeltaPart | None = None
    finish_reason: str | None = None


class ChunkPart(BaseModel):
    """One server-sent event; the one that carries `usage` has no choices."""

    choices: list[ChoicePart] | None = None
    usage: _Usage = None


class MessagePart(BaseModel):
    content: _Text = None
    refusal: str | None = None


class AnswerChoicePart(BaseModel):
    message: MessagePart


class AnswerPart(BaseModel):
    """A whole answer. One may have no text: a refusal, a tool call, an empty list of choices."""

    choices: list[AnswerChoicePart]
    model: str | None = None
    usage: _Usage = None


class StreamedReply:
    """Puts a stream's pieces together: text passes through, tool calls and usage are kept."""

    def __init__(self) -> None:
        self._calls: list[ToolCallPart] = []
        self._finish_reason: str | None = None
        self._usage: Usage | None = None

    def add(self, chunk: ChunkPart) -> str:
        """Take one chunk in; return the text it brought, "" if none."""
        self._usage = chunk.usage or self._usage
        text = ""
        for choice in chunk.choices or []:
            self._finish_reason = choice.finish_reason or self._finish_reason
            if choice.delta is not None:
                text += choice.delta.content or ""
                for part in choice.delta.tool_calls or []:
                    self._add_call(part)
        return text

    def tool_calls(self) -> list[ToolCall]:
        """The calls in the order the model made them."""
        calls = []
        for position, part in enumerate(self._calls):
            function = part.function or FunctionPart()
            # Some endpoints give a call no id; the answer to it needs one to point at.
            call_id = part.id or f"call_{position}"
            calls.append(ToolCall(call_id, function.name or "", function.arguments or "{}"))
        return calls

    def finished(self) -> Finished:
        """The end of the stream; ModelInterrupted if the model never said that it was done."""
        if self._finish_reason is None:
            raise ModelInterrupted("the stream ended without a finish reason")
        return Finished(self._finish_reason, self._usage)

    def _add_call(self, part: ToolCallPart) -> None:
        # From the back: without an index, a piece belongs to the call that came last.
        known = next((call for call in reversed(self._calls) if _same_call(call, part)), None)
        if known is None:
            self._calls.append(part)
            return
        more = part.function or FunctionPart()
        function = known.function or FunctionPart()
        known.function = FunctionPart(
            name=function.name or more.name,
            arguments=(function.arguments or "") + (more.arguments or ""),
        )


def _same_call(known: ToolCallPart, part: ToolCallPart) -> bool:
    # The index names the call, but some endpoints number every call 0: a second id is a second
    # call.
    return known.index == part.index and (not part.id or known.id == part.id)
