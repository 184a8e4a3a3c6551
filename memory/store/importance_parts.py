"""The parts of a memory's importance: its base, and what restatements added to it."""

from dataclasses import dataclass

from memory.drafts import Facets
from memory.models import Memory


@dataclass(frozen=True)
class ImportanceParts:
    """`base` + `reinforcement` is the memory's importance. `from_facets` is what its facets give by
    the formula of seed 003, section 3; None without facets.
    """

    base: float
    reinforcement: float
    from_facets: float | None

    @property
    def set_by_hand(self) -> bool:
        """True if the base was set to another number than the facets give."""
        return self.from_facets is not None and self.base != self.from_facets


def importance_parts(memory: Memory) -> ImportanceParts:
    """Return the parts of the memory's importance."""
    first = memory.reinforced_from
    base = memory.importance if first is None else first
    facets = Facets.model_validate(memory.facets).importance if memory.facets else None
    return ImportanceParts(base, memory.importance - base, facets)
