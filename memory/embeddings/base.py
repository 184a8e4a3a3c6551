"""The interface of embedding providers: texts in, unit vectors out.

Services and querysets use only `Embedder` and `EmbeddingError`; `memory.embeddings.get_embedder`
chooses a provider by name.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from foundation.errors import ProviderError

Vectors = npt.NDArray[np.float32]
TextKind = Literal["document", "query"]


class EmbeddingError(ProviderError):
    """A text could not be embedded. `kind` is a stable word for an endpoint's failure, "" for any
    other.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool,
        retry_after: float | None = None,
        kind: str = "",
    ) -> None:
        super().__init__(message, permanent=permanent, retry_after=retry_after)
        self.kind = kind

    @property
    def code(self) -> str:
        """The stored code of an endpoint's failure, "" for any other error."""
        return f"embedding.{self.kind}" if self.kind else ""


class TextsRefused(EmbeddingError):
    """The endpoint refused this request; it may accept fewer or shorter texts."""


class Embedder(ABC):
    """One embedding model of one provider; safe to share between threads."""

    name: str
    model: str
    dimensions: int

    @abstractmethod
    def reads(self, text: str) -> int:
        """Return how many characters at the text's beginning one vector represents. Raises
        EmbeddingError."""

    @abstractmethod
    def embed(self, texts: Sequence[str], *, kind: TextKind = "document") -> Vectors:
        """Return (len(texts), dimensions) float32; row i belongs to texts[i] and has norm 1.

        `kind` says whether the texts are stored documents or search queries, for models that treat
        them differently. Raises EmbeddingError.
        """
