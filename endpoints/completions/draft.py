"""Collects the parts of a model's answer that a conversation stores, while the answer passes
through.
"""

from dataclasses import dataclass, field

from endpoints.completions.schemas import Json

# The client calls its own tools now and sends their results in the next request.
_ASKS_TOOLS = {"tool_calls", "function_call"}


@dataclass
class Draft:
    """The answer so far: the first of several choices."""

    model: str
    pieces: list[str] = field(default_factory=list)
    finish_reason: str = ""
    usage: dict[str, int] | None = None

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    @property
    def asks_tools(self) -> bool:
        """True if the answer ended with calls of the client's tools."""
        return self.finish_reason in _ASKS_TOOLS

    @property
    def is_cut(self) -> bool:
        """True if the model's length limit cut the answer."""
        return self.finish_reason == "length"

    def add(self, part: Json) -> None:
        """Add a chunk or a whole answer; endpoints may omit any field."""
        if isinstance(model := part.get("model"), str) and model:
            self.model = model
        if isinstance(usage := part.get("usage"), dict):
            self.usage = _counted(usage)
        choices = part.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict) and not choice.get("index"):
                self._add_choice(choice)

    def _add_choice(self, choice: Json) -> None:
        whole = "message" in choice
        reason = choice.get("finish_reason") or ("stop" if whole else self.finish_reason)
        self.finish_reason = str(reason)
        said = choice.get("message" if whole else "delta")
        if isinstance(said, dict):
            texts = (said.get("content"), said.get("refusal"))
            self.pieces += [text for text in texts if isinstance(text, str)]


def _counted(usage: Json) -> dict[str, int] | None:
    """Return the two token counts of a stored reply, or None if one is missing."""
    counts = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
    numbers = {name: count for name, count in counts.items() if isinstance(count, int)}
    return numbers if len(numbers) == len(counts) else None
