"""The answer without a language model: what was recalled, with dates, and plainly labelled."""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from assessor.llm import Chunk, Finished, TextDelta
from chat.models import MemoryUse
from chat.responders.base import Responder, Turn
from memory.recall import Result

# Below this a memory has little to do with the question (cosine of MiniLM).
FITS = 0.15
# What scores close to the best is said too.
CLOSE = 0.75
_QUESTION = re.compile(
    r"[?？]\s*$|^\s*(who|what|when|where|why|which|how|do|does|did|is|are|am|can|could)\b"
    r"|[吗呢]\s*$|什么|哪里|哪儿|谁|怎么",
    re.IGNORECASE,
)


class BuiltinResponder(Responder):
    """Says what it remembers; never pretends to be a language model."""

    label = "built-in"

    async def stream(self, turn: Turn) -> AsyncGenerator[Chunk]:
        for piece in _pieces(self.answer(turn)):
            yield TextDelta(piece)
        yield Finished("stop", None)

    def answer(self, turn: Turn) -> str:
        """The whole answer as Markdown."""
        parts = [] if len(turn.history) > 1 else [self._introduction()]
        if turn.memory == MemoryUse.OFF:
            parts.append(
                _("Memory is off in this conversation: I look nothing up and learn nothing.")
            )
            return "\n\n".join(parts)
        fitting = _fitting(turn.results)
        if not _QUESTION.search(turn.question):
            parts.append(_said_about(turn.memory))
        elif not fitting:
            parts.append(_("I remember nothing that fits. Tell me, and I will know next time."))
        if fitting:
            parts.append(_("From what you told me before:"))
            parts.append("\n".join(_line(result) for result in fitting))
        return "\n\n".join(parts)

    def _introduction(self) -> str:
        return _(
            "*I am Ebb’s built-in responder: no language model is connected, "
            "so I answer only from memory.*"
        )


def _said_about(memory: str) -> str:
    """The answer to what is no question."""
    if memory == MemoryUse.READ_ONLY:
        return _("Memory is read-only in this conversation, so I will not keep that.")
    return _("I have passed that on to be judged. What is worth keeping will appear below.")


def _fitting(results: Sequence[Result]) -> list[Result]:
    """The results that have to do with the question and score close to the best of them."""
    fitting = [result for result in results if result.similarity >= FITS]
    if not fitting:
        return []
    bar = CLOSE * max(result.score for result in fitting)
    return [result for result in fitting if result.score >= bar]


def _line(result: Result) -> str:
    day = date_format(timezone.localtime(result.memory.created_at), "DATE_FORMAT")
    content = " ".join(result.memory.content.split())
    return f"- “{content}” ({day}, {result.match})"


def _pieces(text: str) -> Iterator[str]:
    """The text word by word, as a model would send it; languages without spaces by character."""
    yield from re.findall(r"[\u3040-\u9fff]|\s*[^\s\u3040-\u9fff]+|\s+", text)
