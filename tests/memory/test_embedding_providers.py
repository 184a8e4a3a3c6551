"""Embedders behind an endpoint, over real HTTP: what they send, take, repeat and refuse."""

import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx2
import numpy as np
import openai
import pytest
from pytest_django import Settings

from memory.embeddings import EmbeddingError, count_dimensions, get_embedder
from memory.embeddings.base import TextKind, TextsRefused, Vectors
from memory.embeddings.failures import Failure
from memory.embeddings.openai_compatible import ERRORS as SDK_ERRORS
from memory.embeddings.openai_compatible import OpenAICompatibleEmbedder, translate
from memory.embeddings.remote import MAX_CHARACTERS, MAX_TEXTS, SHORT, Patience
from memory.embeddings.voyage import ATLAS_URL, VOYAGE_URL, VoyageEmbedder
from memory.embeddings.voyage import ERRORS as HTTP_ERRORS
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
    """As `connect`, for each provider."""
    return partial(connect, request.param)


def expected(embedder: Remote, texts: list[str], kind: str = "document") -> Vectors:
    """The stub's own vectors: Voyage AI's endpoint knows of kinds."""
    kind_told = kind if embedder.name == "voyage" else None
    rows = np.array([vector_of(MODEL, text, kind_told) for text in texts])
    units: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return units


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

    with pytest.raises(TextsRefused, match="scripted 400") as caught:
        make().embed(["x" * 2 * SHORT for _ in range(16)])

    assert caught.value.permanent
    assert len(stub_model.embedding_requests) == 6  # 16 texts, 8, 4, 2, 1, half of it


# step, what is said, permanent, how often it is asked for
REFUSALS = [
    ("400", "did not accept the texts", True, 1),
    ("401", "refused the API key", True, 1),
    ("402", "did not accept the request", True, 1),
    ("403", "refused the API key", True, 1),
    ("404", "does not know this model", True, 1),
    ("408", "in time", False, 4),
    ("409", "failed", False, 4),
    ("413", "did not accept the texts", True, 1),
    ("422", "did not accept the texts", True, 1),
    ("429", "fewer requests", False, 4),
    ("500", "failed", False, 4),
    ("503", "failed", False, 4),
    ("garbage", "could not be read", False, 4),
    ("half", "could not be read", False, 4),
    ("close", "broke off", False, 4),
]


@pytest.mark.parametrize(("step", "sentence", "permanent", "requests"), REFUSALS)
def test_failure_is_repeated_where_that_may_help_and_told(
    make: Make, stub_model: StubModel, step: str, sentence: str, permanent: bool, requests: int
) -> None:
    stub_model.script_embeddings(*[step] * 10)

    with pytest.raises(EmbeddingError, match=sentence) as caught:
        make().embed(["hello"])

    assert caught.value.permanent is permanent
    assert len(stub_model.embedding_requests) == requests
    if step.isdigit():
        assert f"scripted {step}" in str(caught.value)


@pytest.mark.parametrize(
    ("step", "sentence", "permanent"),
    [
        ("fewer", "could not be read", False),
        ("more", "4 vectors for 3 texts", False),
        ("twice", "4 vectors for 3 texts", False),
        ("nan", "not finite", False),
        ("zero", "no length", False),
        ("ragged", "could not be read", False),
        ("words", "could not be read", False),
        ("short", "31 dimensions for stub-32; here they have 32", True),
    ],
)
def test_vectors_that_are_none_are_refused(
    make: Make, stub_model: StubModel, step: str, sentence: str, permanent: bool
) -> None:
    stub_model.script_embeddings(step)

    with pytest.raises(EmbeddingError, match=sentence) as caught:
        make().embed(TEXTS)

    assert caught.value.permanent is permanent


@pytest.mark.parametrize("step", ["429:0.1", "503:0.1", "500", "close", "garbage"])
def test_passing_failure_is_not_noticed(make: Make, stub_model: StubModel, step: str) -> None:
    stub_model.script_embeddings(step)
    started = time.monotonic()

    assert make().embed(["hello"]).shape == (1, 32)

    assert len(stub_model.embedding_requests) == 2
    if step.endswith(":0.1"):
        assert time.monotonic() - started >= 0.1


def test_pause_longer_than_the_patience_is_told_at_once(make: Make, stub_model: StubModel) -> None:
    stub_model.script_embeddings("429:120")

    with pytest.raises(EmbeddingError, match="fewer requests") as caught:
        make().embed(["hello"])

    assert caught.value.retry_after == 120
    assert not caught.value.permanent
    assert len(stub_model.embedding_requests) == 1


def test_silence_ends_in_time(make: Make, stub_model: StubModel) -> None:
    stub_model.script_embeddings(*["timeout"] * 4)
    started = time.monotonic()

    with pytest.raises(EmbeddingError, match="in time") as caught:
        make(patience=HASTY).embed(["hello"], kind="query")

    assert not caught.value.permanent
    assert time.monotonic() - started < Patience().query  # its own patience, not the usual one
    assert len(stub_model.embedding_requests) <= 2  # each attempt gets half of it


def test_nobody_there_is_said(make: Make) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"

        with pytest.raises(EmbeddingError, match="cannot be reached") as caught:
            make(base_url=url).embed(["hello"])

    assert not caught.value.permanent


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/v1", "http://", "nonsense"])
def test_address_that_is_none_is_an_embedding_error(make: Make, url: str) -> None:
    with pytest.raises(EmbeddingError):
        make(base_url=url).embed(["hello"])


def test_text_that_is_not_unicode_is_a_permanent_error(make: Make, stub_model: StubModel) -> None:
    with pytest.raises(EmbeddingError, match="Unicode") as caught:
        make().embed(["fine", "\ud800"])

    assert caught.value.permanent
    assert stub_model.embedding_requests == []


def test_dimensions_are_counted_whatever_they_are(make: Make) -> None:
    assert make(dimensions=0).count_dimensions() == 32


def test_key_says_which_of_voyages_addresses_is_meant(connect: Make) -> None:
    def url(key: str) -> str:
        embedder = connect(VoyageEmbedder, base_url="", api_key=key)
        assert isinstance(embedder, VoyageEmbedder)
        return embedder._url

    assert url("pa-key") == f"{VOYAGE_URL}/embeddings"
    assert url("al-key") == f"{ATLAS_URL}/embeddings"


def family(error: type[Exception]) -> set[type[Exception]]:
    """The error and its kinds in the same library; other libraries of the tests have kinds, too."""
    library = error.__module__.partition(".")[0]
    kinds = [kind for kind in error.__subclasses__() if kind.__module__.startswith(library)]
    return {error}.union(*(family(kind) for kind in kinds))


def test_every_error_of_the_sdk_is_mapped() -> None:
    by_status = family(openai.APIStatusError)

    assert family(openai.APIError) - by_status - SDK_ERRORS.keys() == set()
    assert SDK_ERRORS.keys() <= family(openai.OpenAIError) - by_status


def test_every_error_of_the_http_client_is_mapped() -> None:
    """Each by itself, or by what it is a kind of."""
    meant = {
        error: next(HTTP_ERRORS[kind] for kind in error.__mro__ if kind in HTTP_ERRORS)
        for error in family(httpx2.HTTPError)
    }

    assert {error for error, failure in meant.items() if failure is Failure.BAD_REQUEST} == {
        httpx2.HTTPError,
        httpx2.HTTPStatusError,
        httpx2.RequestError,
        httpx2.TooManyRedirects,
        httpx2.LocalProtocolError,
    }
    assert {error for error in meant if issubclass(error, httpx2.TimeoutException)} == {
        error for error, failure in meant.items() if failure is Failure.TIMEOUT
    } | {httpx2.ConnectTimeout}


def test_retry_after_may_be_a_date(stub_model: StubModel) -> None:
    response = httpx2.Response(
        429,
        request=httpx2.Request("POST", stub_model.base_url),
        headers={
            "date": "Sun, 06 Nov 1994 08:49:37 GMT",
            "retry-after": "Sun, 06 Nov 1994 08:50:07 GMT",
        },
    )

    error = translate(openai.RateLimitError("slow down", response=response, body=None))

    assert error.retry_after == 30.0


def test_providers_are_made_from_the_settings(settings: Settings, stub_model: StubModel) -> None:
    """Nothing is asked of these here: they keep their connections as long as the process runs."""
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

    with pytest.raises(EmbeddingError, match="neither a key nor an address") as caught:
        get_embedder(provider, MODEL, 32)

    assert caught.value.permanent
