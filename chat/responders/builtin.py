"""Answers without a language model: with what the person told, in their own words, and the memory
that says it. The reader decides what a message is, and which memories answer a question."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Sequence

from django.utils import translation
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from assessor.llm import Chunk, Finished, TextDelta
from chat.models import MemoryUse
from chat.responders.base import MOST_KNOWN, Offer, Responder, Turn
from chat.responders.commands import Command, command_in, forget_what
from chat.responders.phrases import said_in
from chat.responders.phrasing import quotation, told
from memory.models.choices import MemoryType
from memory.recall.results import Result
from memory.text.secrets import asks_for_secret
from reader import Message, answers, language_of, read
from reader.sentences import split_sentences

TOLD = 0.45
"""From this probability on that one of the memories answers, the question is answered."""
ALSO = 0.4
"""A memory that is at least so likely to answer as a share of the likeliest is said, too."""
HELPFUL = 0.5
"""From this relevance on, a memory is named that helps with a question."""
PERSONAL = 0.05
"""A question that so surely does not concern the person is about the world."""
MOST = 3
"""Memories that one answer names."""
MEANT = 0.5
"""From this relevance on, a memory is what the user wants forgotten."""
ASKING = ("question", "request")


class BuiltinResponder(Responder):
    """Answers from recalled memories; never pretends to be a language model."""

    label = "built-in"

    async def stream(self, turn: Turn) -> AsyncGenerator[Chunk | Offer]:
        if command_in(turn.question) is Command.FORGET:
            yield Offer([result.memory.pk for result in _meant(turn)])
        for piece in _pieces(await asyncio.to_thread(self.answer, turn)):
            yield TextDelta(piece)
        yield Finished("stop", None)

    def answer(self, turn: Turn) -> str:
        """Return the whole answer as Markdown, in the user's language."""
        language = _language(turn)
        with translation.override("zh-hans" if language == "zh" else "en"):
            return "\n\n".join(_answer(turn, language))


def _language(turn: Turn) -> str:
    """Return the language of the user's latest message with letters, or the space's."""
    texts = [message.content for message in turn.history if message.role == "user"]
    latest = next((text for text in reversed(texts) if re.search(r"[^\W\d_]", text)), "")
    return language_of(latest) if latest else turn.rules.language


def _answer(turn: Turn, language: str) -> list[str]:
    if turn.memory == MemoryUse.OFF:
        return [_("Memory is off in this conversation: I can't look up or save anything.")]
    match command_in(turn.question):
        case Command.FORGET:
            return _forget(turn)
        case Command.LIST | Command.TODAY as command:
            return _listed(turn, command)
        case Command.WHO_ARE_YOU:
            return [_("I'm a program, not a language model. I answer with what you told me.")]
    asked = [one for one in split_sentences(turn.question) if read(Message(one)).voice in ASKING]
    if asked:
        return [part for one in asked for part in _answered(turn, one, language, len(asked) > 1)]
    reading = read(Message(turn.question))
    if not reading.may_be_own:
        return [said_in(language, "needs a model")]
    if reading.worth < 0.5:
        return [said_in(language, "hello")]
    if turn.memory != MemoryUse.ON:
        return [_("I won't save this message to memory.")]
    return [said_in(language, "noted")]


def _answered(turn: Turn, asked: str, language: str, one_of_several: bool) -> list[str]:
    """Return the answer to a question or request, as paragraphs."""
    found = answers(asked, [result.memory.content for result in turn.results])
    chosen = _chosen(turn.results, [answer.answers for answer in found])
    if chosen:
        said = [told(turn.results[i].memory, found[i].start) for i in chosen]
        return [" ".join(dict.fromkeys(said)), _quoted(turn, [turn.results[i] for i in chosen])]
    helpful = sorted(range(len(found)), key=lambda i: -found[i].relevance)[:MOST]
    near = [turn.results[i] for i in helpful if found[i].relevance >= HELPFUL]
    reading = read(Message(asked))
    if reading.voice == "request" or reading.personal < PERSONAL:
        first = said_in(language, "needs a model")
    elif near:
        first = said_in(language, "may help")
    elif turn.rules.assessment.mask_secrets and asks_for_secret(asked):
        first = _("I don't keep secrets such as passwords, PINs, codes and keys.")
    else:
        first = said_in(language, "untold")
    first = f"{first} (“{asked}”)" if one_of_several else first
    return [first, _quoted(turn, near)] if near else [first]


def _chosen(results: Sequence[Result], shares: Sequence[float]) -> list[int]:
    """Return the places of the memories that answer, likeliest first; none if nobody told.

    A question about the past is answered by what was true then, if anything was.
    """
    past = [i for i, one in enumerate(results) if "past" in one.contributions]
    order = sorted(past or range(len(results)), key=lambda i: -shares[i])
    if sum(shares) < TOLD:
        return []
    return [i for i in order if shares[i] >= ALSO * shares[order[0]]][:MOST]


def _listed(turn: Turn, command: Command) -> list[str]:
    """Return the recalled memories, grouped by type."""
    if not turn.results:
        return [
            _("Nothing saved today yet. Tell me something worth remembering.")
            if command is Command.TODAY
            else _("Nothing yet. Tell me something worth remembering.")
        ]
    if len(turn.results) == MOST_KNOWN:
        first = _("Here's some of what I know. The Memories page lists everything:")
    elif command is Command.TODAY:
        first = _("Saved today:")
    else:
        first = _("Here's what I know:")
    groups: dict[str, list[Result]] = {}
    for result in turn.results:
        groups.setdefault(result.memory.memory_type, []).append(result)
    kinds = [kind for kind in MemoryType if kind in groups]
    return [
        first,
        *(f"**{capfirst(kind.label)}**\n\n{_list(turn, groups[kind])}" for kind in kinds),
    ]


def _forget(turn: Turn) -> list[str]:
    """Return the memories that the user wants forgotten; the page adds buttons (Offer)."""
    if meant := _meant(turn):
        return [_("These memories are about that. Choose what to delete:"), _list(turn, meant)]
    if forget_what(turn.question):
        return [_("I have no memory about that. The Memories page lists all memories.")]
    return [
        _(
            "Tell me what to forget, for example: forget that I moved. You can also select "
            "memories on the Memories page and delete them."
        )
    ]


def _meant(turn: Turn) -> list[Result]:
    """Return the recalled memories that the user wants forgotten."""
    if not forget_what(turn.question):
        return []
    return [one for one in turn.results if one.relevance >= MEANT]


def _list(turn: Turn, results: Sequence[Result]) -> str:
    return "\n".join(f"- {quotation(turn, result)}" for result in results)


def _quoted(turn: Turn, results: Sequence[Result]) -> str:
    return "\n".join(f"> {quotation(turn, result)}  " for result in results).rstrip()


def _pieces(text: str) -> Iterator[str]:
    """Yield the text word by word, like a model; languages without spaces by character."""
    yield from re.findall(r"[\u3040-\u9fff]|\s*[^\s\u3040-\u9fff]+|\s+", text)
