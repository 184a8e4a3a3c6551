"""Failures of an embedding endpoint: reported, retried where that may help, and ended in time."""

import socket
from dataclasses import replace

import httpx2
import pytest

from memory.embeddings import EmbeddingError
from memory.embeddings.failures import Failure, refusal
from memory.embeddings.wire import ERRORS
from tests.memory.embeddings.remote_embedders import HASTY, TEXTS, Make, connect, make
from tests.stub_model import StubModel

__all__ = ["connect", "make"]

# step, what is said, permanent, how often it is asked for
REFUSALS = [
    ("400", "rejected the texts", True, 1),
    ("401", "refused the API key", True, 1),
    ("402", "rejected the request", True, 1),
    ("403", "refused the API key", True, 1),
    ("404", "does not know this model", True, 1),
    ("408", "in time", False, 4),
    ("409", "returned an error", False, 4),
    ("413", "rejected the texts", True, 1),
    ("422", "rejected the texts", True, 1),
    ("429", "rate limit", False, 4),
    ("500", "returned an error", False, 4),
    ("503", "returned an error", False, 4),
    ("garbage", "could not be read", False, 4),
    ("half", "could not be read", False, 4),
    ("close", "was cut off", False, 4),
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
    assert "scripted" not in str(caught.value)
    if step.isdigit():
        assert f"(HTTP {step})" in str(caught.value)


@pytest.mark.parametrize(
    ("step", "sentence", "permanent"),
    [
        ("fewer", "could not be read", False),
        ("more", "4 vectors for 3 texts", False),
        ("twice", "4 vectors for 3 texts", False),
        ("nan", "not finite", False),
        ("zero", "length 0", False),
        ("ragged", "could not be read", False),
        ("words", "could not be read", False),
        ("short", "31 dimensions for stub-32, not of 32", True),
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

    assert make().embed(["hello"]).shape == (1, 32)

    assert len(stub_model.embedding_requests) == 2


def test_pause_longer_than_the_patience_is_told_at_once(make: Make, stub_model: StubModel) -> None:
    stub_model.script_embeddings("429:120")

    with pytest.raises(EmbeddingError, match="rate limit") as caught:
        make().embed(["hello"])

    assert caught.value.retry_after == 120
    assert not caught.value.permanent
    assert len(stub_model.embedding_requests) == 1


def test_silence_ends_in_time(make: Make, stub_model: StubModel) -> None:
    stub_model.script_embeddings(*["timeout"] * 4)
    hasty = replace(HASTY, document=3600.0)  # a query has its own patience

    with pytest.raises(EmbeddingError, match="in time") as caught:
        make(patience=hasty).embed(["hello"], kind="query")

    assert not caught.value.permanent
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


def family(error: type[Exception]) -> set[type[Exception]]:
    """The error and its kinds in the same library; other libraries of the tests have kinds, too."""
    library = error.__module__.partition(".")[0]
    kinds = [kind for kind in error.__subclasses__() if kind.__module__.startswith(library)]
    return {error}.union(*(family(kind) for kind in kinds))


def test_every_error_of_the_http_client_is_mapped() -> None:
    """Each by itself, or by what it is a kind of."""
    meant = {
        error: next(ERRORS[kind] for kind in error.__mro__ if kind in ERRORS)
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


def test_retry_after_may_be_a_date() -> None:
    headers = httpx2.Headers(
        {
            "date": "Sun, 06 Nov 1994 08:49:37 GMT",
            "retry-after": "Sun, 06 Nov 1994 08:50:07 GMT",
        }
    )

    assert refusal(429, headers).retry_after == 30.0


@pytest.mark.parametrize("asked", ["1e308", "999999999999", "Sun, 06 Nov 9994 08:50:07 GMT"])
def test_an_endpoint_asks_for_a_day_at_most(asked: str) -> None:
    headers = httpx2.Headers({"date": "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after": asked})

    assert refusal(429, headers).retry_after == 24 * 3600
