"""The vectors of memories. Each embedding model has its own approximate index (see
embeddings.embedders)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from accounts.models import Embedder, Space
from accounts.models.space_rows import SpaceForeignKey, SpaceRow


class MemoryEmbeddingQuerySet(models.QuerySet["MemoryEmbedding"]):
    """Queries on vectors."""

    def in_space(self, space: Space) -> MemoryEmbeddingQuerySet:
        """Return the vectors of this space."""
        return self.filter(space_id=space.pk)

    def made_by(self, embedder: Embedder) -> MemoryEmbeddingQuerySet:
        """Return the vectors by this embedding model."""
        return self.filter(embedder_id=embedder.pk)


class MemoryEmbedding(SpaceRow):
    """One memory's vector by one embedder: 16-bit floats, unit length."""

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    memory = SpaceForeignKey(
        "memory.Memory", models.CASCADE, related_name="embeddings", verbose_name=_("memory")
    )
    embedder = models.ForeignKey(
        Embedder, models.PROTECT, related_name="+", verbose_name=_("embedding model")
    )
    vector = HalfVectorField()
    # Only vectors of large spaces are in their model's approximate index (embeddings.indexing).
    in_index = models.BooleanField(default=False, db_default=False, editable=False)
    # The number of further vectors of a long text.
    further = models.SmallIntegerField(default=0, db_default=0, editable=False)

    objects: ClassVar[models.Manager[MemoryEmbedding]] = MemoryEmbeddingQuerySet.as_manager()

    class Meta:
        verbose_name = _("vector")
        verbose_name_plural = _("vectors")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "embedder", "memory"], name="embedding_once_per_memory"
            )
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} · {self.embedder_id}"


class FurtherEmbedding(SpaceRow):
    """The vector of one group of sentences of a long memory (embeddings.groups), beside the one of
    its whole text. Most memories have none."""

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    memory = SpaceForeignKey(
        "memory.Memory",
        models.CASCADE,
        related_name="further_embeddings",
        verbose_name=_("memory"),
    )
    embedder = models.ForeignKey(
        Embedder, models.PROTECT, related_name="+", verbose_name=_("embedding model")
    )
    place = models.SmallIntegerField(editable=False)
    vector = HalfVectorField()
    in_index = models.BooleanField(default=False, db_default=False, editable=False)

    objects: ClassVar[models.Manager[FurtherEmbedding]] = MemoryEmbeddingQuerySet.as_manager()

    class Meta:
        verbose_name = _("vector of a long memory")
        verbose_name_plural = _("vectors of long memories")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "embedder", "memory", "place"], name="further_embedding_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} · {self.embedder_id} · {self.place}"
