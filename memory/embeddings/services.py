"""Embedding and storage of memories' vectors, by the space's model and by the one it is moving to.

A text is embedded before the transaction begins, and the space may switch models before the vectors
are written (embeddings.switching). Writers of vectors therefore share a lock, and the switch waits
for all of them.
"""

import logging
from collections.abc import Mapping, Sequence

from memory.embeddings import EmbeddingError
from memory.embeddings.choice import choose_embedder
from memory.embeddings.vectors import Vectors, embed
from memory.locks import lock
from memory.models import Embedder, Memory, MemoryEmbedding, Space

logger = logging.getLogger(__name__)


def embed_documents(space: Space, texts: Sequence[str]) -> dict[int, Vectors]:
    """Return the texts' vectors by model id: the space's own model and the one it is moving to.

    When the latter fails, its vectors are left out: the switch adds them later, and a model that is
    not in use yet must not prevent writing. Raises EmbeddingError.
    """
    if not texts:
        return {}
    choose_embedder(space, texts)
    made = {space.embedder_id: embed(space.embedder, texts, space=space)}
    if space.next_embedder is not None:
        try:
            made[space.next_embedder.pk] = embed(space.next_embedder, texts, space=space)
        except EmbeddingError as error:
            logger.warning("%s, the next model of %s: %s", space.next_embedder, space, error)
    return made


def store_vectors(
    *,
    space: Space,
    memories: Sequence[Memory],
    texts: Sequence[str],
    made: Mapping[int, Vectors],
) -> None:
    """Write the vectors of new memories, in the transaction that creates the memories.

    If the space has switched models since, the texts are embedded again here: the one case in which
    a transaction waits for a model.
    """
    current, wanted = _held_models(space)
    if current not in made:
        model = Embedder.objects.get(pk=current)
        made = {**made, current: embed(model, texts, space=space)}
    MemoryEmbedding.objects.bulk_create(
        (
            MemoryEmbedding(space=space, memory=memory, embedder_id=model, vector=vector)
            for model in wanted & made.keys()
            for memory, vector in zip(memories, made[model], strict=True)
        ),
        batch_size=500,
    )


def replace_vectors(
    *, space: Space, memory: Memory, text: str, made: Mapping[int, Vectors]
) -> None:
    """Replace all vectors of a memory whose text has changed, in the transaction of the change."""
    MemoryEmbedding.objects.in_space(space).filter(memory=memory).delete()
    store_vectors(space=space, memories=[memory], texts=[text], made=made)


def _held_models(space: Space) -> tuple[int, set[int]]:
    """Return the space's model and all models that need vectors, which stay until the transaction
    ends."""
    lock(space.pk, "vectors", shared=True)
    rows = Space.objects.filter(pk=space.pk)
    current, coming = rows.values_list("embedder_id", "next_embedder_id").get()
    return current, {current, coming} - {None}
