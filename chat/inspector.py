"""The right side of the playground: what was recalled for a reply, and why.

The numbers are those that were stored with the reply: later changes do not rewrite the past. The
memory beside them is as it is now, because that is what a person can do something about.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from chat.attribution import attributed
from chat.explaining import Stored
from chat.models import Message
from chat.services.relevance import question_of
from memory.models import Memory, RelevanceMark, Space
from memory.models.memories import MemoryType


@dataclass(frozen=True)
class Hit:
    """One memory of a reply's list.

    `memory` is it as it is now, None if it is gone for good. `below` is by how much a memory that
    was not recalled fell short of the last that was. `is_attributed`: the answer shows that it used
    it. `is_set_aside`: a person has said that it has nothing to do with the question.
    """

    stored: Stored
    memory: Memory | None
    is_out: bool
    below: float | None
    is_attributed: bool
    is_set_aside: bool

    @property
    def id(self) -> UUID:
        return UUID(self.stored["memory"]["id"])

    @property
    def text(self) -> str:
        """What it said then."""
        said: str = self.stored["memory"]["content"]
        return said

    @property
    def says_now(self) -> str:
        """What it says now, if that is something else."""
        changed = self.memory is not None and self.memory.content != self.text
        return self.memory.content if changed and self.memory else ""

    @property
    def type(self) -> tuple[str, str]:
        """Its type then, with its word."""
        name = self.stored["memory"]["memory_type"]
        return name, str(MemoryType(name).label)

    @property
    def signals(self) -> dict[str, dict[str, Any]]:
        """What each signal said, what it added, and the rank without it."""
        ranks = self.stored.get("rank_without") or {}
        return {
            name: {
                "value": value,
                "contribution": self.stored["contributions"].get(name, 0.0),
                "rank_without": ranks.get(name),
            }
            for name, value in self.stored["signals"].items()
        }


def why(message: Message) -> dict[str, Any]:
    """What the inspector of a reply shows: `message`, `question`, and its Hits."""
    question = question_of(message)
    now = _now(message, question)
    return {
        "message": message,
        "question": question,
        "is_ended": message.state not in {Message.State.PENDING, Message.State.STREAMING},
        "recalled": _hits(message, question, now, message.recalled, is_out=False),
        "missed": _hits(message, question, now, message.missed, is_out=True),
    }


def why_unkept(space: Space, recalled: Sequence[Stored]) -> dict[str, Any]:
    """The same of a reply that is kept nowhere."""
    message = Message(space=space, recalled=recalled)
    now = _now(message, "")
    hits = _hits(message, "", now, message.recalled, is_out=False)
    return {"message": message, "is_ended": True, "recalled": hits, "missed": []}


def why_one(message: Message, memory_id: UUID) -> Hit | None:
    """One memory of the list; None if it is not on it."""
    everything = why(message)
    return next(
        (hit for hit in everything["recalled"] + everything["missed"] if hit.id == memory_id), None
    )


@dataclass(frozen=True)
class _Now:
    """The memories of both lists as they are now, by id, and those that were set aside."""

    memories: Mapping[str, Memory]
    aside: Collection[str]


def _now(message: Message, question: str) -> _Now:
    ids = [hit["memory"]["id"] for hit in [*message.recalled, *message.missed]]
    rows = Memory.objects.in_space(message.space).in_bulk(ids)
    memories = {str(pk): memory for pk, memory in rows.items()}
    return _Now(memories, _set_aside(message, question, ids))


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
            below=cut - hit["score"] if is_out and cut is not None else None,
            is_attributed=id_ in used,
            is_set_aside=id_ in now.aside,
        )
        for id_, hit in zip(ids, stored, strict=True)
    ]


def _set_aside(message: Message, question: str, ids: Sequence[str]) -> set[str]:
    """Those whose use was taken back, or that were never used and marked for this question.

    The same question may be answered anew: what is recalled again for it is shown again.
    """
    marks = RelevanceMark.objects.in_space(message.space).on(question)
    marked = marks.filter(relevant=False, memory_id__in=ids).values_list("memory_id", flat=True)
    uses: dict[str, Stored] = message.uses
    taken_back = {id_ for id_, use in uses.items() if use.get("taken_back")}
    return taken_back | ({str(id_) for id_ in marked} - uses.keys())
