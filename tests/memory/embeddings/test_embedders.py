"""Models as rows: asked once, kept, and refused where they cannot be."""

import pytest
from django.db import connection
from pytest_django import Settings

from accounts.models import Embedder
from memory.embeddings import EmbeddingError
from memory.embeddings.embedders import configured_embedder, register_embedder
from tests.stub_model import StubModel

pytestmark = pytest.mark.django_db


def test_new_model_is_asked_once_for_its_dimensions(remote_models: StubModel) -> None:
    first = register_embedder(provider="voyage", model="stub-48")
    again = register_embedder(provider="voyage", model="stub-48", dimensions=48)

    assert (first.dimensions, again) == (48, first)
    assert len(remote_models.embedding_requests) == 1
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexdef FROM pg_indexes WHERE indexname = %s",
            [f"embedding_hnsw_{first.pk}"],
        )
        [(definition,)] = cursor.fetchall()
    assert "halfvec(48)" in definition


def test_configured_model_is_the_one_of_the_settings(
    settings: Settings, remote_models: StubModel
) -> None:
    settings.EBB_EMBEDDING_PROVIDER = "openai"
    settings.EBB_EMBEDDING_MODEL = "stub-64"

    assert (str(configured_embedder()), configured_embedder().dimensions) == ("openai/stub-64", 64)


@pytest.mark.parametrize("known", [False, True])
def test_other_dimensions_than_the_models_are_refused(
    remote_models: StubModel, known: bool
) -> None:
    if known:
        register_embedder(provider="openai", model="stub-64")

    with pytest.raises(EmbeddingError, match="64 dimensions for 'stub-64', not of 32") as caught:
        register_embedder(provider="openai", model="stub-64", dimensions=32)

    assert caught.value.permanent
    assert Embedder.objects.filter(dimensions=32).count() == 0


def test_more_dimensions_than_can_be_indexed_are_refused(remote_models: StubModel) -> None:
    with pytest.raises(EmbeddingError, match="4096 dimensions"):
        register_embedder(provider="openai", model="stub-4096")

    assert not Embedder.objects.filter(model="stub-4096").exists()


def test_nothing_is_written_when_the_endpoint_does_not_answer(remote_models: StubModel) -> None:
    remote_models.script_embeddings("401")

    with pytest.raises(EmbeddingError, match="API key"):
        register_embedder(provider="openai", model="stub-64")

    assert not Embedder.objects.filter(model="stub-64").exists()
