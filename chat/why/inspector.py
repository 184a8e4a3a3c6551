"""The playground's inspector: the memories recalled for a reply, and the reasons.

The numbers were stored with the reply, so later changes do not alter them. Each memory is shown in
its current state, because a person can act on it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from accounts.models import Space
from chat.models import Message
from chat.why.attribution import attributed
from chat.why.explaining import OFFERED, Stored
from chat.why.relevance import question_of
from memory.formulas.rounding import rounded_parts
from memory.models import Memory, RelevanceMark
from memory.models.choices import MemoryType


@dataclass(frozen=True)
class Hit:
    """One memory of a reply's list.

    `memory` is its current state, None if purged. `below` is the score missing to the last recalled
    memory, None if it scored more. `is_attributed`: the answer shows that it used the memory.
    `is_set_aside`: a person marked it as unrelated to the question.
    """

    stored: Stored
    memory: Memory | None
    is_out: bool
    below: float | None
    is_attributed: bool
    is_set_aside: bool

    @property
    def id(self) -> UUID:
        """The memory's id."""
        return UUID(self.stored["memory"]["id"])

    @property
    def text(self) -> str:
        """The memory's text at the time of the reply."""
        said: str = self.stored["memory"]["content"]
        return said

    @property
    def relevance(self) -> int | None:
        """The relevance in percent; None for a reply from before memories had one."""
        relevance = self.stored.get("relevance")
        return None if relevance is None else round(100 * relevance)

    @property
    def says_now(self) -> str:
        """The memory's current text if it has changed, else ""."""
        changed = self.memory is not None and self.memory.content != self.text
        return self.memory.content if changed and self.memory else ""

    @property
    def type(self) -> tuple[str, str]:
        """The memory's type at the time of the reply, with its label."""
        name = self.stored["memory"]["memory_type"]
        return name, str(MemoryType(name).label)

    @property
    def signals(self) -> dict[str, dict[str, Any]]:
        """Each signal's value, its contribution, and the rank without it; also the contributions
        that are no signal's: `past` and `others`."""
        ranks = self.stored.get("rank_without") or {}
        parts = rounded_parts(self.stored["contributions"], self.stored["score"])
        signals = {
            name: {
                "value": value,
                "contribution": parts.get(name, 0.0),
                "rank_without": ranks.get(name),
            }
            for name, value in self.stored["signals"].items()
        }
        more = {name: {"contribution": parts[name]} for name in parts if name not in signals}
        return signals | more


@dataclass(frozen=True)
class StandingRule:
    """A memory that said how to answer. `memory` is its current state, None if purged."""

    stored: Stored
    memory: Memory | None

    @property
    def type(self) -> tuple[str, str]:
        """The memory's type at the time of the reply, with its label."""
        name = self.stored["memory_type"]
        return name, str(MemoryType(name).label)


def why(
    message: Message, question: str | None = None, *, standing: Sequence[Stored] = ()
) -> dict[str, Any]:
    """Return the inspector's context for a reply: `message`, `question`, its Hits and those of its
    `standing` rules that the reader sees (chat.why.shown_rules). A caller that has read the
    question passes it, which saves a query."""
    question = question_of(message) if question is None else question
    now = _now(message, question)
    return {
        "message": message,
        "question": question,
        "is_ended": message.state not in {Message.State.PENDING, Message.State.STREAMING},
        "recalled": _hits(message, question, now, message.recalled, is_out=False),
        "missed": _hits(message, question, now, message.missed, is_out=True),
        "standing": _standing(standing, now),
    }


def why_unkept(
    space: Space, recalled: Sequence[Stored], standing: Sequence[Stored]
) -> dict[str, Any]:
    """Return the inspector's context for an ephemeral reply."""
    message = Message(space=space, recalled=recalled, standing=standing)
    now = _now(message, "")
    hits = _hits(message, "", now, message.recalled, is_out=False)
    return {
        "message": message,
        "is_ended": True,
        "recalled": hits,
        "missed": [],
        "standing": _standing(standing, now),
    }


def why_one(message: Message, memory_id: UUID) -> Hit | None:
    """Return one memory of the list, or None if it is not on the list."""
    everything = why(message)
    return next(
        (hit for hit in everything["recalled"] + everything["missed"] if hit.id == memory_id), None
    )


def offered(message: Message) -> list[Hit]:
    """Return the memories that the reply offers to delete."""
    return [hit for hit in why(message)["recalled"] if hit.stored.get(OFFERED)]


@dataclass(frozen=True)
class _Now:
    """The memories of both lists in their current state, by id, and the ids that were set aside."""

    memories: Mapping[str, Memory]
    aside: Collection[str]


def _now(message: Message, question: str) -> _Now:
    ids = [hit["memory"]["id"] for hit in [*message.recalled, *message.missed]]
    rules = [rule["id"] for rule in message.standing]
    rows = Memory.objects.in_space(message.space).in_bulk([*ids, *rules])
    memories = {str(pk): memory for pk, memory in rows.items()}
    return _Now(memories, _set_aside(message, question, ids))


def _standing(rules: Sequence[Stored], now: _Now) -> list[StandingRule]:
    return [StandingRule(rule, now.memories.get(rule["id"])) for rule in rules]


def _hits(
    message: Message, question: str, now: _Now, stored: Sequence[Stored], *, is_out: bool
) -> list[Hit]:
    ids = [hit["memory"]["id"] for hit in stored]
    texts = {} if is_out else {hit["memory"]["id"]: hit["memory"]["content"] for hit in stored}
    used = attributed(message.content, question, texts)
    cut = min((hit["score"] for hit in message.recalled if hit.get("rank")), default=None)
    return [
        Hit(
            stored=hit,
            memory=now.memories.get(id_),
            is_out=is_out,
            below=cut - hit["score"] if is_out and cut is not None and hit["score"] < cut else None,
            is_attributed=id_ in used,
            is_set_aside=id_ in now.aside,
        )
        for id_, hit in zip(ids, stored, strict=True)
    ]


def _set_aside(message: Message, question: str, ids: Sequence[str]) -> set[str]:
    """Return the ids of memories whose use was undone, or that were unused and marked irrelevant to
    this question.

    A memory recalled again for the same question counts as used, and is shown again.
    """
    marks = RelevanceMark.objects.in_space(message.space).on(question)
    marked = marks.filter(relevant=False, memory_id__in=ids).values_list("memory_id", flat=True)
    uses: dict[str, Stored] = message.uses
    taken_back = {id_ for id_, use in uses.items() if use.get("taken_back")}
    return taken_back | ({str(id_) for id_ in marked} - uses.keys())
