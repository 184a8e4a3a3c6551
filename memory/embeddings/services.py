"""Embedding and storage of memories' vectors, by the space's model and by the one it is moving to.

A text is embedded before the transaction begins, and the space may switch models before the vectors
are written (embeddings.switching). Writers of vectors therefore share a lock, and the switch waits
for all of them.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence

from accounts.models import Embedder, Space
from foundation.database.locks import lock
from memory.embeddings import EmbeddingError
from memory.embeddings.choice import choose_embedder
from memory.embeddings.indexing import mark_if_large
from memory.embeddings.vectors import Vectors, embed_memories
from memory.models import FurtherEmbedding, Memory, MemoryEmbedding

Made = Mapping[int, Iterable[Vectors]]
"""By the id of a model, for each text its own vector and those of its groups of sentences, shape
(1 + groups, dimensions)."""

logger = logging.getLogger(__name__)


def embed_documents(space: Space, texts: Sequence[str]) -> Made:
    """Return the texts' vectors by the space's own model and by the one it is moving to.

    If the new model fails, its vectors are left out and the switch adds them later, because a model
    that is not in use yet must not prevent writing. Raises EmbeddingError if the space's own model
    fails.
    """
    if not texts:
        return {}
    choose_embedder(space, texts)
    made = {space.embedder_id: embed_memories(space.embedder, texts, space=space)}
    if space.next_embedder is not None:
        try:
            made[space.next_embedder.pk] = embed_memories(space.next_embedder, texts, space=space)
        except EmbeddingError as error:
            logger.warning("%s, the next model of %s: %s", space.next_embedder, space, error)
    return made


def store_vectors(
    *,
    space: Space,
    memories: Sequence[Memory],
    texts: Sequence[str],
    made: Made,
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
        made = {**made, current: embed_memories(model, texts, space=space)}
    for embedder_id in wanted & made.keys():
        insert_vectors(held, embedder_id, zip(memories, made[embedder_id], strict=True))
    if not held.vectors_indexed:
        mark_if_large(space)


def insert_vectors(
    held: Space, embedder_id: int, made: Iterable[tuple[Memory, Vectors]], *, known: bool = False
) -> None:
    """Insert the vectors of memories by a model, in a space whose models are held. With `known`
    some may have theirs already."""
    made = list(made)
    MemoryEmbedding.objects.bulk_create(
        (
            MemoryEmbedding(
                space=held,
                memory=memory,
                embedder_id=embedder_id,
                vector=first,
                in_index=held.vectors_indexed,
                further=len(further),
            )
            for memory, (first, *further) in made
        ),
        batch_size=500,
        ignore_conflicts=known,
    )
    insert_further(held, embedder_id, ((memory, further) for memory, (_, *further) in made))


def insert_further(
    held: Space, embedder_id: int, made: Iterable[tuple[Memory, Sequence[Vectors]]]
) -> None:
    """Insert the vectors of memories' groups of sentences, in a space whose models are held.
    Vectors of the same text may be there already."""
    FurtherEmbedding.objects.bulk_create(
        (
            FurtherEmbedding(
                space=held,
                memory=memory,
                embedder_id=embedder_id,
                place=place,
                vector=vector,
                in_index=held.vectors_indexed,
            )
            for memory, further in made
            for place, vector in enumerate(further, 1)
        ),
        batch_size=500,
        ignore_conflicts=True,
    )


def replace_vectors(*, space: Space, memory: Memory, text: str, made: Made) -> None:
    """Replace all vectors of a memory whose text has changed, in the transaction of the change."""
    for vectors in (MemoryEmbedding.objects, FurtherEmbedding.objects):
        vectors.filter(space_id=space.pk, memory=memory).delete()
    store_vectors(space=space, memories=[memory], texts=[text], made=made)


def hold_models(space: Space) -> Space:
    """Return the space as it is now; its models and `vectors_indexed` stay until the transaction
    ends."""
    lock(space.pk, "vectors", shared=True)
    return Space.objects.get(pk=space.pk)
