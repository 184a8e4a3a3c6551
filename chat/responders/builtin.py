"""Answers without a language model: quotes recalled memories with dates, plainly labelled.

A simple question that one memory clearly answers also gets a short answer (direct_answers).
`matching` has the rules for a match. If the match is doubtful, the reply says so or asks.
"""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence

from django.utils import translation
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from assessor.llm import Chunk, Finished, TextDelta
from chat.models import MemoryUse
from chat.responders.base import MOST_KNOWN, Offer, Responder, Turn
from chat.responders.direct_answers import direct_answer
from chat.responders.kinds import Kind
from chat.responders.matching import (
    SURE_RELEVANCE,
    goes_with,
    is_meant,
    is_near,
    is_quotable,
    is_sure,
)
from chat.responders.memory_facts import facts_of, is_from_document
from chat.responders.relations import is_about_another
from chat.responders.utterances import (
    Language,
    asked_back,
    forget_what,
    kind_of,
    language_of,
    questions_in,
    share_a_word,
)
from foundation.moments import beside
from memory.models import Memory
from memory.models.choices import MemoryType
from memory.recall.results import Result
from memory.templatetags.ebb import age_in_words, match_in_words
from memory.text.secrets import asks_for_secret

# The lead in relevance over the next memory that makes a memory the clear answer.
CLEAR_LEAD = 0.15
# From this share of the best score on, other memories are quoted too.
CLOSE = 0.75
# From this similarity on, a statement repeats a memory.
SAME = 0.9


class BuiltinResponder(Responder):
    """Answers with recalled memories; never pretends to be a language model."""

    label = "built-in"

    async def stream(self, turn: Turn) -> AsyncGenerator[Chunk | Offer]:
        if kind_of(turn.question) is Kind.FORGET:
            yield Offer([result.memory.pk for result in _meant(turn)])
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
            "*I'm Ebb's built-in responder. No language model is connected, so I "
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
        return [_("Memory is off in this conversation: I can't look up or save anything.")]
    match kind_of(turn.question):
        case Kind.FORGET:
            return _forget(turn)
        case Kind.EVERYTHING | Kind.TODAY as kind:
            return _listed(turn, kind)
        case Kind.TASK:
            return [
                _("I need a language model for that. Connect one in Settings → Models."),
                *_sure_of(turn),
            ]
        case Kind.QUESTION:
            return _short(turn) or _sure_of(turn) or _unsure(turn)
        case Kind.STATEMENT:
            return _taken_note(turn)
        case kind:
            return [_in_a_word(kind)]


def _in_a_word(kind: Kind) -> str:
    """Return the answer to small talk, or to the question who is answering."""
    match kind:
        case Kind.GREETING:
            return _(
                "Hello. Tell me something worth remembering, or ask about something you told me."
            )
        case Kind.THANKS:
            return _("You're welcome.")
        case Kind.FAREWELL:
            return _("Goodbye.")
        case Kind.DENIAL:
            return _("Tell me what is right, or edit the memory on the Memories page.")
        case Kind.WHO_ARE_YOU:
            return _(
                "I'm a program, not a language model. I look for memories that match your "
                "question and quote them."
            )
    return _("OK.")


def _listed(turn: Turn, kind: Kind) -> list[str]:
    """Return the recalled memories, grouped by type."""
    known = [result.memory for result in _quotable(turn)]
    if not known:
        return [
            _("Nothing saved today yet. Tell me something worth remembering.")
            if kind is Kind.TODAY
            else _("Nothing yet. Tell me something worth remembering.")
        ]
    if len(turn.results) == MOST_KNOWN:
        first = _("Here's some of what I know. The Memories page lists everything:")
    elif kind is Kind.TODAY:
        first = _("Saved today:")
    else:
        first = _("Here's what I know:")
    groups: dict[str, list[str]] = {}
    for memory in known:
        groups.setdefault(memory.memory_type, []).append(_line(turn, memory))
    ordered = [kind for kind in MemoryType if kind in groups]
    titled = [f"**{capfirst(kind.label)}**\n\n" + "\n".join(groups[kind]) for kind in ordered]
    return [first, *titled]


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
    if kind_of(turn.question) is not Kind.FORGET:
        return []
    what = forget_what(turn.question)
    return [result for result in turn.results if what and is_meant(what, result)]


def _short(turn: Turn) -> list[str]:
    """Return a short answer with the memory that gives it, if no other gives another one."""
    found = _quotable(turn)
    own = [one for one in found if not is_about_another(turn.question, one.memory.content)]
    # In a question about the past, memories that were true then come before memories that are true
    # now.
    ranked = sorted(own, key=lambda one: ("past" not in one.contributions, -one.relevance))
    answers = [(one, direct_answer(turn.question, one.memory.content)) for one in ranked]
    answers = [(one, said) for one, said in answers if said]
    if not answers:
        return []
    best, said = answers[0]
    # If a memory about someone else seemed to fit better, the relevance is not a good measure.
    if best.relevance < SURE_RELEVANCE and len(own) == len(found):
        return []
    # Another memory with a different answer makes the answer unsure, unless it is far behind.
    others = [one for one, other in answers if other != said]
    if others and best.relevance - others[0].relevance < CLEAR_LEAD:
        return []
    from_document = is_from_document(best.memory)  # its "I" may be someone else
    return [] if from_document else [said, _list(turn, [best])]


def _quotable(turn: Turn) -> list[Result]:
    """Return the recalled memories that contain information."""
    return [one for one in turn.results if is_quotable(turn.question, one.memory.content)]


def _sure_of(turn: Turn) -> list[str]:
    """Return the memories that answer the question, if any; several questions are answered
    separately.
    """
    answers = {question: _answers_to(question, turn) for question in questions_in(turn.question)}
    found = {result.memory.pk: result for answer in answers.values() for result in answer}
    if not found:
        return []
    told = not all(is_from_document(result.memory) for result in found.values())
    first = _("You told me before:") if told else _("A document that you gave me says:")
    parts = [first, _list(turn, list(found.values()))]
    for question in (question for question, answer in answers.items() if not answer):
        parts.append(_("I'm not sure about: %(question)s") % {"question": question})
    return parts


def _answers_to(question: str, turn: Turn) -> list[Result]:
    fitting = [result for result in _quotable(turn) if is_sure(question, result)]
    if question != turn.question:  # the similarity was computed for the whole text
        fitting = [one for one in fitting if share_a_word(question, one.memory.content)]
    bar = CLOSE * max((result.score for result in fitting), default=0.0)
    return [result for result in fitting if result.score >= bar]


def _unsure(turn: Turn) -> list[str]:
    """Return close memories, or a question back. Never ask for a secret, because it would be
    masked.
    """
    near = [result for result in _quotable(turn) if is_near(turn.question, result)]
    if near:
        near.sort(key=lambda result: -result.similarity)  # common words matter little here
        return [_("I'm not certain, but this may help:"), _list(turn, near)]
    if turn.rules.assessment.mask_secrets and asks_for_secret(turn.question):
        return [_("I don't keep secrets such as passwords, PINs, codes and keys.")]
    return _unknown(turn)


def _unknown(turn: Turn) -> list[str]:
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
        _("Noted. I'll save what is worth remembering.")
        if turn.memory == MemoryUse.ON
        else _("I won't save this message to memory.")
    ]
    related = [result for result in _quotable(turn) if goes_with(turn.question, result)]
    if related:
        same = related[0].similarity >= SAME
        parts.append(_("You already told me:") if same else _("Related:"))
        parts.append(_list(turn, related[:1]))
    return parts


def _list(turn: Turn, results: Sequence[Result]) -> str:
    return "\n".join(_line(turn, result.memory, match_in_words(result.match)) for result in results)


def _line(turn: Turn, memory: Memory, *facts: str) -> str:
    """Return one quoted memory.

    - “User likes pizza” (3 days ago, Feb. 18, 2026, 62% match)
    """
    at = beside(memory.created_at, turn.now)
    age = age_in_words((turn.now.date() - at.date()).days)
    content = " ".join(memory.content.split())
    facts = (age, date_format(at, "DATE_FORMAT"), *facts_of(memory, turn.now), *facts)
    return f"- “{content}” ({', '.join(facts)})"


def _pieces(text: str) -> Iterator[str]:
    """Yield the text word by word, like a model; languages without spaces by character."""
    yield from re.findall(r"[\u3040-\u9fff]|\s*[^\s\u3040-\u9fff]+|\s+", text)
