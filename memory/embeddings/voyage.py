"""Voyage AI (seed 004), through its documented HTTP interface.

Its SDK brings a chunker, a tracer and an imaging library (docs/dependencies.md); this is one
request.
"""

from collections.abc import Sequence

import httpx2

from memory.embeddings.base import EmbeddingError, TextKind
from memory.embeddings.failures import Failure, refusal
from memory.embeddings.remote import CONNECT_TIMEOUT, RemoteEmbedder

VOYAGE_URL = "https://api.voyageai.com/v1"
# Keys of MongoDB's Voyage AI begin with "al-" and work only there.
ATLAS_KEY, ATLAS_URL = "al-", "https://ai.mongodb.com/v1"

# An error is looked up along its class's ancestors.
ERRORS: dict[type[Exception], Failure] = {
    httpx2.HTTPError: Failure.BAD_REQUEST,
    httpx2.TransportError: Failure.INTERRUPTED,
    httpx2.TimeoutException: Failure.TIMEOUT,
    httpx2.ConnectTimeout: Failure.UNREACHABLE,
    httpx2.ConnectError: Failure.UNREACHABLE,
    httpx2.ProxyError: Failure.UNREACHABLE,
    httpx2.UnsupportedProtocol: Failure.UNREACHABLE,
    httpx2.LocalProtocolError: Failure.BAD_REQUEST,
    httpx2.DecodingError: Failure.BAD_ANSWER,
}


class VoyageEmbedder(RemoteEmbedder):
    """A model of Voyage AI at `base_url` ("" is the key's own), called with `api_key`.

    Queries and documents are embedded differently: `kind` is sent as `input_type`.
    """

    name = "voyage"

    def _connect(self, base_url: str, api_key: str) -> None:
        own = ATLAS_URL if api_key.startswith(ATLAS_KEY) else VOYAGE_URL
        self._url = f"{(base_url or own).rstrip('/')}/embeddings"
        self._client = httpx2.Client(headers={"Authorization": f"Bearer {api_key}"})

    def close(self) -> None:
        self._client.close()

    def _ask(self, texts: Sequence[str], *, kind: TextKind, timeout: float) -> object:
        body = {"model": self.model, "input": list(texts), "input_type": kind}
        times = httpx2.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT))
        try:
            response = self._client.post(self._url, json=body, timeout=times)
        except httpx2.HTTPError as error:
            raise translate(error) from error
        except httpx2.InvalidURL as error:
            raise Failure.UNREACHABLE.error(str(error)) from error
        if response.status_code >= 300:
            raise refusal(response.status_code, response.headers, _said(response))
        try:
            return response.json()
        except ValueError as error:  # not JSON, or not UTF-8
            raise Failure.BAD_ANSWER.error(f"{type(error).__name__}: {error}") from error


def translate(error: httpx2.HTTPError) -> EmbeddingError:
    """Return our error for the client's error."""
    failure = next(ERRORS[ancestor] for ancestor in type(error).__mro__ if ancestor in ERRORS)
    return failure.error(str(error) or type(error).__name__)


def _said(response: httpx2.Response) -> str:
    """Return the reason for a refusal, which Voyage AI sends as `detail`."""
    try:
        answer = response.json()
    except ValueError:
        return response.text
    return str(answer.get("detail", answer)) if isinstance(answer, dict) else str(answer)
