"""The fields that Ebb reads of an endpoint's answers, validated.

OpenAI-compatible endpoints omit fields, and the SDK builds its objects without checking them. Each
field is optional here if endpoints differ; any other deviation is a ValidationError.
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
from assessor.llm.thoughts import ThoughtFilter


def _joined(value: Any) -> Any:
    """Return the text, joined if it comes in pieces; pieces without text (Mistral's thoughts) are
    dropped.
    """
    if not isinstance(value, list):
        return value
    pieces = (piece.get("text") for piece in value if isinstance(piece, dict))
    return "".join(piece for piece in pieces if isinstance(piece, str))


_Text = Annotated[str | None, BeforeValidator(_joined)]


def _none_if_unreadable(value: Any, read: ValidatorFunctionWrapHandler) -> Usage | None:
    """Return None for unreadable usage, so that the answer is kept: some endpoints send {} or only
    some of the fields.
    """
    with suppress(ValidationError):
        counted: Usage | None = read(value)
        return counted
    return None


UsageOrNone = Annotated[Usage | None, WrapValidator(_none_if_unreadable)]


class FunctionPart(BaseModel):
    """The function of a tool call, possibly incomplete."""

    name: str | None = None
    arguments: str | None = None


class ToolCallPart(BaseModel):
    """A tool call, or a piece of one in a stream."""

    index: int | None = None
    id: str | None = None
    function: FunctionPart | None = None


class DeltaPart(BaseModel):
    """New text, refusal and tool call pieces of one chunk."""

    content: _Text = None
    refusal: str | None = None
    tool_calls: list[ToolCallPart] | None = None


class ChoicePart(BaseModel):
    """One choice of a chunk; `finish_reason` is set in the last one."""

    delta: DeltaPart | None = None
    finish_reason: str | None = None


class ChunkPart(BaseModel):
    """One server-sent event; the one with `usage` has no choices."""

    choices: list[ChoicePart] | None = None
    usage: UsageOrNone = None


class MessagePart(BaseModel):
    """The message of a whole answer; `refusal` is set if the model declined."""

    content: _Text = None
    refusal: str | None = None
    tool_calls: list[ToolCallPart] | None = None

    def text(self, *, tool: str) -> str | None:
        """Return the answer: the arguments of the call of this tool, else the text."""
        for call in self.tool_calls or []:
            if call.function and call.function.name == tool:
                return call.function.arguments
        return self.content


class AnswerChoicePart(BaseModel):
    """One choice of a whole answer."""

    message: MessagePart
    finish_reason: str | None = None


class AnswerPart(BaseModel):
    """A whole answer. The text may be missing: a refusal, a tool call, an empty list of choices."""

    choices: list[AnswerChoicePart]
    model: str | None = None
    usage: UsageOrNone = None

    def only_thought(self) -> bool:
        """Return whether the answer reached its limit before the model had said anything."""
        first = self.choices[0] if self.choices else None
        if first is None or first.finish_reason != "length" or first.message.tool_calls:
            return False
        thoughts = ThoughtFilter()
        return not (thoughts.add(first.message.content or "") + thoughts.rest()).strip()


class StreamedReply:
    """Combines a stream's pieces: passes text through, collects tool calls and usage."""

    def __init__(self) -> None:
        self._calls: list[ToolCallPart] = []
        self._finish_reason: str | None = None
        self._usage: Usage | None = None

    def add(self, chunk: ChunkPart) -> str:
        """Add one chunk; return its text, "" if none."""
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
        """Return the calls in the order the model made them."""
        calls = []
        for position, part in enumerate(self._calls):
            function = part.function or FunctionPart()
            # Some endpoints give a call no id, but the tool's answer must refer to one.
            call_id = part.id or f"call_{position}"
            calls.append(ToolCall(call_id, function.name or "", function.arguments or "{}"))
        return calls

    def finished(self) -> Finished:
        """Return the end of the stream; raises ModelInterrupted if there was no finish reason."""
        if self._finish_reason is None:
            raise ModelInterrupted("the stream ended without a finish reason")
        return Finished(self._finish_reason, self._usage)

    def _add_call(self, part: ToolCallPart) -> None:
        # Search from the end: a piece without an index belongs to the latest call.
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
    # The index identifies the call, but some endpoints number every call 0. There, a second id
    # means a second call.
    return known.index == part.index and (not part.id or known.id == part.id)
