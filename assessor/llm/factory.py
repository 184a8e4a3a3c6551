"""The assessor's model under the names of seed 001: an LLMFactory and LLMType.WEAK."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from assessor.llm.base import ChatModel


class LLMType(StrEnum):
    """The strengths of models that seed 001 names. Assessment needs the weak one."""

    WEAK = "WEAK"


@dataclass(frozen=True)
class LLMFactory:
    """Returns the model for a strength; `weak` opens the assessor's model."""

    weak: Callable[[], ChatModel]

    def get_agent(self, strength: LLMType) -> ChatModel:
        """Return the model of this strength."""
        return {LLMType.WEAK: self.weak}[strength]()
