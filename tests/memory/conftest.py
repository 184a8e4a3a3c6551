"""Shared fixtures of this folder's tests, besides tests/conftest.py."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from accounts.models import Embedder
from memory import embeddings
from tests.stub_model import StubModel


@pytest.fixture
def remote_models(db: None, settings: Settings, stub_model: StubModel) -> Iterator[StubModel]:
    """Both remote providers lead to the stub; a model `…-64` has 64 dimensions."""
    settings.EBB_EMBEDDING_BASE_URL = settings.VOYAGE_BASE_URL = stub_model.base_url
    settings.EBB_EMBEDDING_API_KEY = settings.VOYAGE_API_KEY = "secret"
    yield stub_model
    for row in Embedder.objects.exclude(provider="local"):
        embedder = embeddings.get_embedder(row.provider, row.model, row.dimensions)
        assert isinstance(embedder, embeddings.RemoteEmbedder)
        embedder.close()
    embeddings._remote.cache_clear()
