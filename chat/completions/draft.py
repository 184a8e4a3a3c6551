"""What a conversation keeps of a model's answer, gathered while it passes through."""

from dataclasses import dataclass, field

from chat.completions.schemas import Json

# The client's own tools are asked now; what they answer comes in the next request.
_ASKS_TOOLS = {"tool_calls", "function_call"}


@dataclass
class Draft:
    """The answer so far: of several choices the first."""

    model: str
    pieces: list[str] = field(default_factory=list)
    finish_reason: str = ""
    usage: dict[str, int] | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def asks_tools(self) -> bool:
        return self.finish_reason in _ASKS_TOOLS

    @property
    def is_cut(self) -> bool:
        return self.finish_reason == "length"

    def add(self, part: Json) -> None:
        """Take in a chunk, or a whole answer; endpoints leave out what they please."""
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
    """The two counts that a reply is stored with."""
    counts = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
    numbers = {name: count for name, count in counts.items() if isinstance(count, int)}
    return numbers if len(numbers) == len(counts) else None
