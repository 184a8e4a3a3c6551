"""Answers without a language model: quotes recalled memories with dates, plainly labelled.

Memories are quoted, never rephrased. The rules for a match are similarity, common words, and the
kind of thing asked for (a place, a time, a number). In doubt, the reply says so or asks.
"""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence

from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from assessor.llm import Chunk, Finished, TextDelta
from chat.models import MemoryUse
from chat.responders.base import Responder, Turn
from chat.responders.utterances import (
    Kind,
    Language,
    asked_back,
    holds_what_is_asked,
    is_chinese,
    kind_of,
    language_of,
    questions_in,
    share_a_word,
)
from memory.recall.recall import Result
from memory.templatetags.ebb import age_in_words, match_in_words

# MiniLM cosines, tuned on English questions with and without an answer in memory. The keys of NEAR
# say if the memory contains the requested kind (a place, a time, a number): yes, unknown, no.
SURE_WITH_WORDS, SURE = 0.3, 0.5
NEAR = {True: 0.15, None: 0.28, False: 0.45}
# MiniLM does not know Chinese: its neighbours of a Chinese text are random, so only common words
# count.
COMMON_WORDS_IN_CHINESE = 0.05
# Share of the best score from which other memories are quoted too.
CLOSE = 0.75
# Similarity from which a statement repeats a memory, or is related to one.
SAME, RELATED = 0.9, 0.5


class BuiltinResponder(Responder):
    """Answers with recalled memories; never pretends to be a language model."""

    label = "built-in"

    async def stream(self, turn: Turn) -> AsyncGenerator[Chunk]:
        for piece in _pieces(self.answer(turn)):
            yield TextDelta(piece)
        yield Finished("stop", None)

    def answer(self, turn: Turn) -> str:
        """Return the whole answer as Markdown, in the user's language."""
        said = [message.content for message in turn.history if message.role == "user"]
        of_the_space: Language = "zh-hans" if turn.rules.language == "zh" else "en"
        with translation.override(language_of(said, of_the_space)):
            introduction = [] if len(turn.history) > 1 else _introduction(turn)
            return "\n\n".join([*introduction, *_answer(turn)])


def _introduction(turn: Turn) -> list[str]:
    parts = [
        _(
            "*I am Ebb’s built-in responder. No language model is connected, so I "
            "answer only from memory.*"
        )
    ]
    if turn.system_prompt:
        parts.append(
            _("*This conversation has a system prompt for a language model. I can't follow it.*")
        )
    return parts


def _answer(turn: Turn) -> list[str]:
    if turn.memory == MemoryUse.OFF:
        return [_("Memory is off in this conversation: I neither look things up nor save them.")]
    match kind_of(turn.question):
        case Kind.GREETING:
            return [
                _("Hello. Tell me something worth remembering, or ask about something you told me.")
            ]
        case Kind.THANKS:
            return [_("You're welcome.")]
        case Kind.WHO_ARE_YOU:
            return [
                _(
                    "I am a program, not a language model. I look up memories that match and "
                    "quote them."
                )
            ]
        case Kind.FORGET:
            return [_("I can't delete memories. You can do it on the Memories page.")]
        case Kind.EVERYTHING:
            return _everything(turn)
        case Kind.TASK:
            return [
                _("I need a language model for that. Connect one in Settings → Models."),
                *_sure_of(turn),
            ]
        case Kind.QUESTION:
            return _sure_of(turn) or _unsure(turn)
    return _taken_note(turn)


def _everything(turn: Turn) -> list[str]:
    if not turn.results:
        return [_("Nothing yet. Tell me something worth remembering.")]
    first = _("Here's some of what I know. The rest is on the Memories page:")
    return [first, _list(turn, turn.results)]


def _sure_of(turn: Turn) -> list[str]:
    """Return the memories that answer the question, if any; several questions are answered
    separately.
    """
    answers = {question: _answers_to(question, turn) for question in questions_in(turn.question)}
    found = {result.memory.pk: result for answer in answers.values() for result in answer}
    if not found:
        return []
    parts = [_("You told me before:"), _list(turn, list(found.values()))]
    for question in (question for question, answer in answers.items() if not answer):
        parts.append(_("I'm not sure about: %(question)s") % {"question": question})
    return parts


def _answers_to(question: str, turn: Turn) -> list[Result]:
    fitting = [result for result in turn.results if _is_sure(question, result)]
    if question != turn.question:  # the similarity was computed for the whole text
        fitting = [one for one in fitting if share_a_word(question, one.memory.content)]
    bar = CLOSE * max((result.score for result in fitting), default=0.0)
    return [result for result in fitting if result.score >= bar]


def _unsure(turn: Turn) -> list[str]:
    """Return close memories, or a question back."""
    near = [result for result in turn.results if _is_near(turn.question, result)]
    if near:
        near.sort(key=lambda result: -result.similarity)  # common words matter little here
        return [_("I'm not certain, but this may help:"), _list(turn, near)]
    back = asked_back(turn.question)
    if not back:
        return [_("I don't have anything about that. I only know what you've told me.")]
    if turn.memory != MemoryUse.ON:
        return [_("I don't have anything about that: either you never told me or it was deleted.")]
    return [
        _("I don't have anything about that. If you tell me, I'll know next time: %(question)s")
        % {"question": back}
    ]


def _taken_note(turn: Turn) -> list[str]:
    """Return the answer to a statement, with a related memory if there is one."""
    parts = [
        _("Noted. If it's worth remembering, it will appear below.")
        if turn.memory == MemoryUse.ON
        else _("Memory is read-only in this conversation, so I won't save that.")
    ]
    related = [result for result in turn.results if _goes_with(turn.question, result)]
    if related:
        same = related[0].similarity >= SAME
        parts.append(_("You already told me:") if same else _("Related:"))
        parts.append(_list(turn, related[:1]))
    return parts


def _is_sure(question: str, result: Result) -> bool:
    text, words = result.memory.content, result.signals.get("lexical", 0.0)
    if is_chinese(question) and is_chinese(text):
        return words >= COMMON_WORDS_IN_CHINESE
    if holds_what_is_asked(question, text) is False:
        return False
    return result.similarity >= (SURE_WITH_WORDS if words else SURE)


def _is_near(question: str, result: Result) -> bool:
    text = result.memory.content
    if is_chinese(question) or is_chinese(text):
        return False
    return result.similarity >= NEAR[holds_what_is_asked(question, text)]


def _goes_with(statement: str, result: Result) -> bool:
    text, words = result.memory.content, result.signals.get("lexical", 0.0)
    if is_chinese(statement) and is_chinese(text):
        return words >= COMMON_WORDS_IN_CHINESE
    return result.similarity >= RELATED


def _list(turn: Turn, results: Sequence[Result]) -> str:
    return "\n".join(_line(turn, result) for result in results)


def _line(turn: Turn, result: Result) -> str:
    """Return one quoted memory: - “User likes pizza” (3 days ago, Feb. 18, 2026, 62% match)"""
    age = age_in_words((turn.now - result.memory.created_at).days)
    day = date_format(timezone.localtime(result.memory.created_at), "DATE_FORMAT")
    content = " ".join(result.memory.content.split())
    return f"- “{content}” ({age}, {day}, {match_in_words(result.match)})"


def _pieces(text: str) -> Iterator[str]:
    """Yield the text word by word, like a model; languages without spaces by character."""
    yield from re.findall(r"[\u3040-\u9fff]|\s*[^\s\u3040-\u9fff]+|\s+", text)
