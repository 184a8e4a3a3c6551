"""Embedding and storage of memories' vectors, by the space's model and by the one it is moving to.

A text is embedded before the transaction begins, and the space may switch models before the vectors
are written (embeddings.switching). Writers of vectors therefore share a lock, and the switch waits
for all of them.
"""

import logging
from collections.abc import Mapping, Sequence

from memory.embeddings import EmbeddingError
from memory.embeddings.choice import choose_embedder
from memory.embeddings.indexing import mark_if_large
from memory.embeddings.vectors import Vectors, embed
from memory.locks import lock
from memory.models import Embedder, Memory, MemoryEmbedding, Space

logger = logging.getLogger(__name__)


def embed_documents(space: Space, texts: Sequence[str]) -> dict[int, Vectors]:
    """Return the texts' vectors by model id: the space's own model and the one it is moving to.

    If the new model fails, its vectors are left out and the switch adds them later, because a model
    that is not in use yet must not prevent writing. Raises EmbeddingError if the space's own model
    fails.
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
    held = hold_models(space)
    current = held.embedder_id
    wanted = {current, held.next_embedder_id or current}
    if current not in made:
        model = Embedder.objects.get(pk=current)
        made = {**made, current: embed(model, texts, space=space)}
    shared = {"space": space, "in_index": held.vectors_indexed}
    MemoryEmbedding.objects.bulk_create(
        (
            MemoryEmbedding(memory=memory, embedder_id=model, vector=vector, **shared)
            for model in wanted & made.keys()
            for memory, vector in zip(memories, made[model], strict=True)
        ),
        batch_size=500,
    )
    if not held.vectors_indexed:
        mark_if_large(space)


def replace_vectors(
    *, space: Space, memory: Memory, text: str, made: Mapping[int, Vectors]
) -> None:
    """Replace all vectors of a memory whose text has changed, in the transaction of the change."""
    MemoryEmbedding.objects.in_space(space).filter(memory=memory).delete()
    store_vectors(space=space, memories=[memory], texts=[text], made=made)


def hold_models(space: Space) -> Space:
    """Return the space as it is now; its models and `vectors_indexed` stay until the transaction
    ends."""
    lock(space.pk, "vectors", shared=True)
    return Space.objects.get(pk=space.pk)
