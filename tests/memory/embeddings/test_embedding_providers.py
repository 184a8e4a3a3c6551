"""Embedders behind an endpoint, over real HTTP: what they send, take, repeat and refuse."""

import numpy as np
import pytest
from pytest_django import Settings

from memory.embeddings import EmbeddingError, count_dimensions, get_embedder
from memory.embeddings.base import TextKind, TextsRefused
from memory.embeddings.openai_compatible import OpenAICompatibleEmbedder
from memory.embeddings.remote import MAX_CHARACTERS, MAX_TEXTS, SHORT
from memory.embeddings.voyage import ATLAS_URL, VOYAGE_URL, VoyageEmbedder
from tests.memory.embeddings.remote_embedders import MODEL, TEXTS, Make, connect, expected, make
from tests.stub_model import StubModel

__all__ = ["connect", "make"]


def test_vectors_are_unit_rows_in_the_order_of_the_texts(make: Make, stub_model: StubModel) -> None:
    """The stub gives its items last first and not of unit length."""
    embedder = make()

    vectors = embedder.embed(TEXTS, kind="query")

    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(expected(embedder, TEXTS, "query"), abs=1e-6)
    assert [r.authorization for r in stub_model.embedding_requests] == ["Bearer secret"]


def test_no_texts_ask_nobody(make: Make, stub_model: StubModel) -> None:
    assert make().embed([]).shape == (0, 32)
    assert stub_model.embedding_requests == []


@pytest.mark.parametrize("kind", ["query", "document"])
def test_voyage_is_told_what_kind_of_text_it_is(
    connect: Make, stub_model: StubModel, kind: TextKind
) -> None:
    """Seed 004 asks Voyage AI with its two input types."""
    connect(VoyageEmbedder).embed(["hello"], kind=kind)

    assert [request.body for request in stub_model.embedding_requests] == [
        {"model": MODEL, "input": ["hello"], "input_type": kind}
    ]


def test_request_to_openai_has_nothing_that_others_do_not_know(
    connect: Make, stub_model: StubModel
) -> None:
    connect(OpenAICompatibleEmbedder).embed(["hello"], kind="query")

    assert [request.body for request in stub_model.embedding_requests] == [
        {"model": MODEL, "input": ["hello"], "encoding_format": "float"}
    ]


def test_requests_stay_within_the_limits(make: Make, stub_model: StubModel) -> None:
    long = "x" * (MAX_CHARACTERS // 2)
    texts = [*(f"text {i}" for i in range(MAX_TEXTS + 5)), long, long, "end", "y" * 70_000]

    embedder = make()

    vectors = embedder.embed(texts)

    asked = [request.body["input"] for request in stub_model.embedding_requests]
    assert [text for batch in asked for text in batch] == texts
    assert [len(batch) for batch in asked] == [MAX_TEXTS, 6, 2, 1]
    assert vectors.shape == (len(texts), 32)
    assert vectors[-2] == pytest.approx(expected(embedder, ["end"])[0], abs=1e-6)


def test_endpoint_that_takes_less_gets_less(make: Make, stub_model: StubModel) -> None:
    stub_model.control.most_texts = 3
    texts = [f"text {i}" for i in range(10)]

    embedder = make()

    assert embedder.embed(texts) == pytest.approx(expected(embedder, texts), abs=1e-6)

    sizes = [len(request.body["input"]) for request in stub_model.embedding_requests]
    assert sizes[:5] == [10, 5, 2, 3, 5]


def test_text_that_is_too_long_is_cut_off(make: Make, stub_model: StubModel) -> None:
    stub_model.control.most_characters = 3000
    long = "word " * 2000

    vectors = make().embed(["short", long])

    asked = [request.body["input"] for request in stub_model.embedding_requests]
    assert [[len(text) for text in batch] for batch in asked] == [
        [5, 10_000], [5], [10_000], [5000], [2500],
    ]  # fmt: skip
    assert vectors[1] == pytest.approx(make().embed([long[:2500]])[0], abs=1e-6)


def test_request_refused_for_another_reason_fails_soon(make: Make, stub_model: StubModel) -> None:
    stub_model.script_embeddings(*["400"] * 50)

    with pytest.raises(TextsRefused, match="HTTP 400") as caught:
        make().embed(["x" * 2 * SHORT for _ in range(16)])

    assert caught.value.permanent
    assert len(stub_model.embedding_requests) == 6  # 16 texts, 8, 4, 2, 1, half of it


def test_dimensions_are_counted_whatever_they_are(make: Make) -> None:
    assert make(dimensions=0).count_dimensions() == 32


def test_key_says_which_of_voyages_addresses_is_meant(connect: Make) -> None:
    def url(key: str) -> str:
        embedder = connect(VoyageEmbedder, base_url="", api_key=key)
        assert isinstance(embedder, VoyageEmbedder)
        return embedder._wire.base_url

    assert url("pa-key") == VOYAGE_URL
    assert url("al-key") == ATLAS_URL


def test_providers_are_made_from_the_settings(settings: Settings, stub_model: StubModel) -> None:
    """Nothing is requested of these providers: they keep their connections as long as the
    process runs."""
    settings.EBB_EMBEDDING_BASE_URL = stub_model.base_url
    settings.EBB_EMBEDDING_API_KEY = "of the endpoint"
    settings.VOYAGE_BASE_URL = stub_model.base_url
    settings.VOYAGE_API_KEY = "of voyage"

    assert count_dimensions("local", "all-MiniLM-L6-v2") == 384
    embedders = [get_embedder(name, MODEL, 32) for name in ("openai", "voyage")]

    assert [embedder.name for embedder in embedders] == ["openai", "voyage"]
    assert get_embedder("voyage", MODEL, 32) is embedders[1]
    assert [embedder.dimensions for embedder in embedders] == [32, 32]


@pytest.mark.parametrize("provider", ["openai", "voyage"])
def test_provider_without_key_and_address_says_so(settings: Settings, provider: str) -> None:
    settings.EBB_EMBEDDING_BASE_URL = settings.EBB_EMBEDDING_API_KEY = ""
    settings.VOYAGE_BASE_URL = settings.VOYAGE_API_KEY = ""

    with pytest.raises(EmbeddingError, match="has no key and no URL") as caught:
        get_embedder(provider, MODEL, 32)

    assert caught.value.permanent
