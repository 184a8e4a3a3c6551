"""The choice between the two built-in models, by the language of a space's first memories."""

from collections.abc import Sequence

from django.db import transaction

from accounts.models import Space
from foundation.database.locks import lock
from memory.embeddings import MINILM, MULTILINGUAL
from memory.embeddings.embedders import register_embedder
from memory.models import Memory
from memory.models.policies import current_policy

_LATIN_ENDS = "\u024f"  # the last letter of Latin Extended-B


def choose_embedder(space: Space, texts: Sequence[str]) -> None:
    """Move an empty space from MiniLM to the multilingual model, if its first texts or its policy
    are not English.

    MiniLM was trained on English. A space with memories keeps its model: moving it takes time, and
    its owner can do it on the page Embeddings.
    """
    if (space.embedder.provider, space.embedder.model) != ("local", MINILM):
        return
    memories = Memory.objects.in_space(space)
    if memories.exists() or not _is_foreign(space, texts):
        return
    embedder = register_embedder(provider="local", model=MULTILINGUAL)
    with transaction.atomic():
        # Waits for current writers of vectors, who may be writing the first memory.
        lock(space.pk, "vectors")
        held = Space.objects.get(pk=space.pk)
        if held.embedder_id == space.embedder_id and not memories.exists():
            Space.objects.filter(pk=space.pk).update(embedder=embedder)
            space.embedder = embedder


def _is_foreign(space: Space, texts: Sequence[str]) -> bool:
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    others = sum(letter > _LATIN_ENDS for letter in letters)
    return others * 2 > len(letters) or current_policy(space).document.language != "en"
