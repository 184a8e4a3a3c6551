"""Embedders behind an endpoint, made for the stub, for the tests of them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from memory.embeddings.base import Vectors
from memory.embeddings.openai_compatible import OpenAICompatibleEmbedder
from memory.embeddings.remote import Patience
from memory.embeddings.voyage import VoyageEmbedder
from tests.stub_embeddings import vector_of
from tests.stub_model import StubModel

MODEL = "stub-32"
TEXTS = ["I live in Lisbon", "我喜欢爬山", "The invoice is due on Friday"]
# Time enough on any machine, and short pauses; only silence is met with little patience.
QUICK = Patience(query=30.0, document=30.0, first_pause=0.01)
HASTY = Patience(query=0.6)
Make = Callable[..., "Remote"]
Remote = OpenAICompatibleEmbedder | VoyageEmbedder


@pytest.fixture
def connect(stub_model: StubModel) -> Iterator[Callable[..., Remote]]:
    """Makes a provider's embedder for the stub; its connections end with the test."""
    embedders: list[Remote] = []

    def connected(provider: type[Remote], **options: Any) -> Remote:
        given: dict[str, Any] = {
            "base_url": stub_model.base_url,
            "api_key": "secret",
            "model": MODEL,
            "dimensions": 32,
            "patience": QUICK,
        }
        embedders.append(provider(**given | options))
        return embedders[-1]

    yield connected
    for embedder in embedders:
        embedder.close()


@pytest.fixture(params=[OpenAICompatibleEmbedder, VoyageEmbedder], ids=["openai", "voyage"])
def make(request: pytest.FixtureRequest, connect: Callable[..., Remote]) -> Make:
    """Return `connect` for each provider."""
    return partial(connect, request.param)


def expected(embedder: Remote, texts: list[str], kind: str = "document") -> Vectors:
    """The stub's own vectors: Voyage AI's endpoint knows of kinds."""
    kind_told = kind if embedder.name == "voyage" else None
    rows = np.array([vector_of(MODEL, text, kind_told) for text in texts])
    units: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return units
