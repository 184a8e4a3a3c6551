"""Runs the examples in spaces of several sizes and keeps the signals of the memories that recall
finds.

The small spaces contain facts of one language: all of them, twelve, or three. The large spaces
contain the conversations of `--data`, in LoCoMo's format; only their numbers are used.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from random import Random
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from benchmarks.locomo_data import Conversation
from benchmarks.relevance.examples import Examples, Fact
from memory.recall.relevance import Signals

_T = TypeVar("_T")

Vector = npt.NDArray[np.float32]

WITHOUT: dict[str, Vector] = {}
"""For each remark of the training set, the matrix that was trained without the helpful memory. With
the final matrix, these remarks would find it more easily than a user's remark does.
"""

FOUND = 6
SIZES = (12, 3)
SAID = 300
"""Utterances that need nothing, said in each conversation's space."""


@dataclass(frozen=True)
class Asked:
    """An utterance, and the memories that recall found for it, best first.

    `kind` is "nothing", "direct" …; `size` names the space. `vector` is the text's by a built-in
    model, and `trusted` the trust in the space's similarities. `helpful` has True for each memory
    that helps, and `wanted` is the number of helpful memories in the space.
    """

    text: str
    kind: str
    size: str
    signals: Sequence[Signals]
    helpful: Sequence[bool]
    wanted: int
    vector: Vector
    trusted: float


@cache
def vector_of(text: str, *, multilingual: bool) -> Vector:
    """Return the text's vector by one of the two built-in models."""
    from memory.embeddings import get_embedder
    from memory.embeddings.vectors import MINILM, USE

    vector: Vector = get_embedder(*(USE if multilingual else MINILM)).embed([text])[0]
    return vector


class Space:
    """A space filled with memories, in their order."""

    def __init__(self, drafts: Sequence[Any], size: str, now: datetime) -> None:
        from accounts.models import Embedder, Space
        from foundation.actors import SYSTEM
        from memory.spaces.services import create_space
        from memory.store.services import create_memories

        slug = f"relevance-{Space.objects.count()}"
        self.size, self.now = size, now
        embedder = Embedder.objects.get(model="all-MiniLM-L6-v2")
        self.row = create_space(slug=slug, name=slug, embedder=embedder, actor=SYSTEM)
        self.ids = [
            memory.pk
            for part in _parts(drafts, 1000)
            for memory in create_memories(space=self.row, drafts=part, actor=SYSTEM, now=now)
        ]
        self.row.refresh_from_db()  # its first memories may have chosen another model

    @cached_property
    def vectors(self) -> Vector:
        """The memories' vectors, in their order."""
        from memory.models import MemoryEmbedding

        rows = MemoryEmbedding.objects.in_space(self.row).values_list("memory_id", "vector")
        known = {pk: np.asarray(vector, dtype=np.float32) for pk, vector in rows}
        return np.array([known[pk] for pk in self.ids])

    def ask(self, text: str, kind: str, helpful: Collection[int] = ()) -> Asked:
        """Return the answer to the text; `helpful` are the places of the memories that help."""
        from memory.embeddings.trust import trust
        from memory.embeddings.vectors import built_in_vector
        from memory.recall.recall import signals_of

        vector, found = self.recalled(text, FOUND, WITHOUT.get(text))
        wanted = {self.ids[place] for place in helpful}
        return Asked(
            text,
            kind,
            self.size,
            signals=[signals_of(memory) for memory in found],
            helpful=[memory.pk in wanted for memory in found],
            wanted=len(wanted),
            vector=built_in_vector(self.row.embedder, text, vector),
            trusted=trust(self.row.embedder, text),
        )

    def recalled(
        self, text: str, limit: int, matrix: Vector | None = None
    ) -> tuple[Vector, list[Any]]:
        """Return the text's vector and the memories found, best first. A remark is turned by the
        `matrix`, or by recall's own."""
        from memory.embeddings.vectors import embed
        from memory.formulas.ranking import PROFILES
        from memory.policy import PolicyDocument
        from memory.recall.recall import trusting
        from memory.recall.remarks import is_remark, turned
        from memory.recall.sql import Question, Shape, recalled

        class Turned(Question):
            @property
            def compared(self) -> Vector:
                if matrix is None or not is_remark(self.space.embedder, text):
                    return super().compared
                return turned(self.vector, matrix)

        rules = PolicyDocument()
        shape = Shape(PROFILES["hybrid"], rules.decay, rules.recall, rules.language, limit)
        # Not recall(): it would need the weights that are to be trained.
        vector = embed(self.row.embedder, [text], kind="query")[0]
        question = Turned(self.row, text, vector, self.now)
        return vector, list(recalled(question, trusting(shape, question)))


def ask_examples(given: Examples, now: datetime) -> Iterator[Asked]:
    """Ask one language's examples in its small spaces."""
    random = Random(given.language)
    everything = list(given.facts)
    yield from _asked_in(everything, given, now, "all", nothing=len(given.nothing), random=random)
    space = Space(fact_drafts(everything, now), "all", now)
    yield from (space.ask(said.text, "absent") for said in given.people)
    for size in SIZES:
        shuffled = random.sample(everything, len(everything))
        for part in _parts(shuffled, size):
            yield from _asked_in(part, given, now, str(size), nothing=2 * size, random=random)


def _asked_in(
    facts: Sequence[Fact],
    given: Examples,
    now: datetime,
    size: str,
    *,
    nothing: int,
    random: Random,
) -> Iterator[Asked]:
    """Ask what the facts help with, utterances that need no memory, and those that only missing
    facts help with."""
    space = Space(fact_drafts(facts, now), size, now)
    for place, fact in enumerate(facts):
        for said in fact.utterances:
            yield space.ask(said.text, said.kind, [place])
    for said in random.sample(list(given.nothing), nothing):
        yield space.ask(said.text, "nothing")
    missing = [fact for fact in given.facts if fact not in facts]
    for fact in random.sample(missing, min(len(missing), len(facts))):
        yield space.ask(random.choice(list(fact.utterances)).text, "absent")


def ask_statements(given: Examples, now: datetime) -> Iterator[Asked]:
    """Tell each person's statements in a space with that person's memories, and in one with the
    memories of all."""
    everybody = [fact for person in given.persons for fact in person.memories]
    full, first = Space(fact_drafts(everybody, now), "all persons", now), 0
    for person in given.persons:
        own = Space(fact_drafts(person.memories, now), "one person", now)
        for said in person.statements:
            yield own.ask(said.text, said.kind, said.helpful)
            yield full.ask(said.text, said.kind, [first + place for place in said.helpful])
        first += len(person.memories)


def ask_conversation(talk: Conversation, given: Sequence[Examples], now: datetime) -> list[Asked]:
    """Ask a conversation's own questions, and what needs no memory, in a space with its turns."""
    space = Space(conversation_drafts(talk), "conversation", now)
    own = [space.ask(one.text, "question", one.evidence) for one in talk.questions]
    everything = [said for each in given for said in each.nothing]
    nothing = Random(talk.name).sample(everything, min(SAID, len(everything)))
    return own + [space.ask(said.text, "nothing") for said in nothing]


def fact_drafts(facts: Sequence[Fact], now: datetime) -> list[Any]:
    """Return a memory for each fact."""
    from memory.drafts import MemoryDraft

    return [
        MemoryDraft.model_validate(
            {"content": fact.content, "memory_type": fact.memory_type, "created_at": now}
        )
        for fact in facts
    ]


def conversation_drafts(talk: Conversation) -> list[Any]:
    """Return a memory for each turn, with its speaker and date."""
    from memory.drafts import MemoryDraft, Source

    return [
        MemoryDraft(
            content=turn.content,
            created_at=turn.said_at,
            source=Source(speaker=turn.speaker, conversation_id=talk.name),
        )
        for turn in talk.turns
    ]


def _parts(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    return (items[start : start + size] for start in range(0, len(items), size))
