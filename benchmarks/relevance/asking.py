"""Spaces with the memories of the examples, and what recall finds in them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from benchmarks.locomo_data import Conversation
from benchmarks.relevance.examples import Fact

_T = TypeVar("_T")

Vector = npt.NDArray[np.float32]


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
        # Not recall(): it would turn the vector by the matrix that is to be trained.
        vector = embed(self.row.embedder, [text], kind="query")[0]
        question = Turned(self.row, text, vector, self.now)
        return vector, list(recalled(question, trusting(shape, question)))


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
