"""An endpoint that answers for harm, asked in every way that Ebb asks endpoints of models."""

import asyncio
import gzip
import json
import ssl
import threading
import traceback
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trustme

from assessor.llm import openai_compatible, trial_session
from assessor.llm.errors import ModelError, ModelTimeout
from assessor.llm.openai_compatible import OpenAICompatibleModel
from chat.connections.connection_trials import try_connection
from memory.embeddings import EmbeddingError
from memory.embeddings.openai_compatible import OpenAICompatibleEmbedder
from memory.embeddings.remote import Patience
from memory.embeddings.voyage import VoyageEmbedder
from memory.model_connections.choosing import ModelConfiguration, Prices
from memory.webhooks import endpoint_clients
from tests.assessor.llm_session import complete, read
from tests.hostile_endpoint import answer, hostile, hostile_stream, nonsense

KEY = "sk-proj-4f9Qd81kLm20Zx7"
WORDS = f"bad key Bearer {KEY} says the database of salaries"
Ask = Callable[[str], object]


def configured(url: str) -> ModelConfiguration:
    return {
        "base_url": url, "api_key": KEY, "model": "m", "prices": Prices(), "public_only": False,
    }  # fmt: skip


def of_model(ask: Callable[[OpenAICompatibleModel], Awaitable[object]]) -> Ask:
    def asked(url: str) -> object:
        async def session() -> object:
            async with trial_session(configured(url)) as model:
                return await ask(model)

        return asyncio.run(session())

    return asked


async def forwarded_stream(model: OpenAICompatibleModel) -> list[object]:
    async with model.forward_stream({"messages": []}) as chunks:
        return [chunk async for chunk in chunks]


def of_embedder(
    kind: type[OpenAICompatibleEmbedder | VoyageEmbedder], method: str, *texts: list[str]
) -> Ask:
    def asked(url: str) -> object:
        patience = Patience(query=20.0, document=20.0, attempts=1)
        embedder = kind(base_url=url, api_key=KEY, model="m", dimensions=2, patience=patience)
        with closing(embedder):
            return getattr(embedder, method)(*texts)

    return asked


ASKS: dict[str, Ask] = {
    "complete": of_model(complete),
    "stream": of_model(read),
    "forward": of_model(lambda model: model.forward({"messages": []}, timeout=20)),
    "forward_stream": of_model(forwarded_stream),
    "models": of_model(lambda model: model.models()),
    "openai embeddings": of_embedder(OpenAICompatibleEmbedder, "embed", ["hello"]),
    "openai models": of_embedder(OpenAICompatibleEmbedder, "listed_models"),
    "voyage": of_embedder(VoyageEmbedder, "embed", ["hello"]),
}
every_way = pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)


def failure(ask: Ask, url: str) -> ModelError | EmbeddingError | None:
    """Return the error of this way to ask, or None for an answer that says nothing. No traceback
    repeats the endpoint's words."""
    try:
        assert ask(url) == []
    except (ModelError, EmbeddingError) as error:
        told = "".join(traceback.format_exception(error))
        assert KEY not in told
        assert "salaries" not in told
        return error
    return None


def kind_of_failure(ask: Ask, url: str) -> str:
    error = failure(ask, url)
    assert error is not None
    return error.kind


@every_way
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(ask: Ask, status: int) -> None:
    with hostile(answer("200 OK", b'{"data": [{"id": "inside"}]}')) as inside:
        place = f"{inside.url}/chat/completions"
        with hostile(answer(f"{status} Moved", WORDS.encode(), location=place)) as endpoint:
            error = failure(ask, endpoint.url)

        assert inside.calls == []
    assert error is not None
    assert error.kind == "redirected"
    assert str(error).endswith(f"which Ebb does not follow. (HTTP {status})")
    assert error.permanent
    assert len(endpoint.calls) == 1


@every_way
@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_an_error_is_a_status_and_a_sentence(ask: Ask, status: int) -> None:
    said = {"message": WORDS, "code": WORDS, "type": WORDS, "param": WORDS}
    with hostile(answer(f"{status} {WORDS}", json.dumps({"error": said}).encode())) as endpoint:
        error = failure(ask, endpoint.url)

    assert error is not None
    assert str(error).endswith(f". (HTTP {status})")


@every_way
@pytest.mark.parametrize(
    "pieces",
    [
        f"SSH-2.0-{WORDS}\r\n".encode(),
        f"HTTP/1.1 {WORDS}\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\n{WORDS}\r\n\r\n".encode(),
        answer("200 OK", WORDS.encode()),
        answer("200 OK", WORDS.encode(), content_type="text/html"),
        answer("200 OK", WORDS.encode(), content_encoding="gzip"),
        answer("200 OK", b"[" * 200_000),
        answer("200 OK", f"data: {WORDS}\n\n".encode(), content_type="text/event-stream"),
        answer("200 OK", b"data: " + b"[" * 200_000 + b"\n\n", content_type="text/event-stream"),
        answer(
            "200 OK",
            b"data: " + json.dumps({"error": {"message": WORDS}}).encode() + b"\n\n",
            content_type="text/event-stream",
        ),
        answer("200 OK", json.dumps([WORDS]).encode()),
    ],
)
def test_what_another_server_says_is_not_repeated(ask: Ask, pieces: bytes) -> None:
    with hostile(pieces) as endpoint:
        error = failure(ask, endpoint.url)

    assert error is None or error.kind in {"bad_answer", "interrupted", "server_error"}


@every_way
def test_an_answer_has_a_largest_size(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_clients, "MOST_BYTES", 100_000)
    bomb = gzip.compress(b" " * 10_000_000)
    for body, headers in (
        (b" " * 100_001, {}),
        (bomb, {"content_encoding": "gzip"}),
        (gzip.compress(bomb), {"content_encoding": "gzip, gzip"}),
    ):
        with hostile(answer("200 OK", body, **headers)) as endpoint:
            assert kind_of_failure(ask, endpoint.url) == "bad_answer"


class Endless:
    """A stream of the same bytes without an end."""

    def __init__(self, head: str, piece: bytes, *, pause: float = 0.0) -> None:
        self._head, self._piece, self._pause = head.encode(), piece, pause

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        while True:
            threading.Event().wait(self._pause)
            yield self._piece


@every_way
@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_without_an_end_ends(
    ask: Ask, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_clients, "MOST_BYTES", 1_000_000)
    head = f"HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
    with hostile_stream(Endless(head, b" " * 50_000)) as endpoint:
        kind = kind_of_failure(ask, endpoint.url)

    assert kind == {200: "bad_answer", 500: "server_error"}[status]


@every_way
@pytest.mark.parametrize("codec", ["bz2", "zlib", "punycode"])
def test_no_codec_of_the_endpoints_choice_reads_its_words(ask: Ask, codec: str) -> None:
    body = zlib.compress(b" " * 1_000_000)
    kind = f"text/plain; charset={codec}"
    with hostile(answer("500 Oh", body, content_type=kind)) as endpoint:
        assert kind_of_failure(ask, endpoint.url) == "server_error"


def test_a_steady_stream_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "LONGEST_STREAM", 0.0)
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    event = b'data: {"choices": [{"delta": {"content": "again "}}]}\n\n'
    with hostile_stream(Endless(head, event)) as endpoint, pytest.raises(ModelTimeout):
        ASKS["stream"](endpoint.url)


def test_an_answer_that_comes_byte_by_byte_ends_in_time() -> None:
    """Each byte of its header comes within any pause between two."""
    patience = Patience(query=0.5, document=0.5, attempts=1)
    with hostile_stream(Endless("HTTP/1.1 200 OK\r\nx: ", b"y", pause=0.01)) as endpoint:
        embedder = VoyageEmbedder(
            base_url=endpoint.url, api_key="", model="m", dimensions=2, patience=patience
        )
        with closing(embedder), pytest.raises(EmbeddingError) as caught:
            embedder.embed(["hello"])

    assert caught.value.kind == "timeout"


def test_vectors_of_huge_numbers_are_an_unreadable_answer() -> None:
    body = b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b", 1]}]}"
    for wrong in (body, b'{"data": [{"index": {}, "embedding": []}]}', b'{"data": 7}'):
        with hostile(answer("200 OK", wrong)) as endpoint:
            assert kind_of_failure(ASKS["voyage"], endpoint.url) == "bad_answer"


def test_a_trial_of_a_connection_says_no_word_of_the_endpoint() -> None:
    refused = json.dumps({"error": {"message": WORDS}}).encode()
    for status in (301, 400, 401, 404, 500):
        with hostile(answer(f"{status} X", refused, location="http://10.0.0.1/")) as endpoint:
            trial = try_connection(configured(endpoint.url))
        told = repr(trial)
        assert "salaries" not in told
        assert KEY not in told
        assert f"HTTP {status}" in told
        assert trial.failure


def test_a_refusal_is_understood_whatever_is_said_about_it() -> None:
    """The words find the kind of error, but go no further."""
    said = json.dumps({"error": {"message": f"maximum context length exceeded. {WORDS}"}}).encode()
    with hostile(answer("400 X", said)) as endpoint:
        assert kind_of_failure(ASKS["complete"], endpoint.url) == "too_long"


@every_way
@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nbeginning"])
def test_a_tls_connection_that_turns_into_nonsense_is_cut_off(
    ask: Ask, said: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority, tls = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    monkeypatch.setattr(endpoint_clients, "_ssl_context", lambda: trusting)
    with nonsense(tls, said) as port:
        assert kind_of_failure(ask, f"https://127.0.0.1:{port}/v1") == "interrupted"
