"""A fact of an exchange: what an assessor found, before it is a memory."""

from dataclasses import dataclass, replace

from memory.drafts import Facets, MemoryTypeName
from memory.text.secrets import mask_secrets


@dataclass(frozen=True)
class Fact:
    """A statement that becomes a memory of its own."""

    text: str
    importance: float
    memory_type: MemoryTypeName
    tags: list[str]
    topics: list[str]
    facets: dict[str, float] | None = None
    confidence: float | None = None

    @property
    def all_facets(self) -> Facets | None:
        """The facets as one object, or None without facets."""
        return Facets(**self.facets) if self.facets else None

    def masked(self) -> "Fact":
        """Return the fact with its secrets masked."""
        tags, topics = map(mask_secrets, self.tags), map(mask_secrets, self.topics)
        return replace(self, text=mask_secrets(self.text), tags=[*tags], topics=[*topics])
