"""Embedder for any endpoint of OpenAI's embeddings protocol: OpenAI, Ollama, vLLM, llama.cpp."""

from collections.abc import Sequence
from typing import Unpack

import httpx2
import openai

from memory.embeddings.base import EmbeddingError, TextKind
from memory.embeddings.failures import Failure, refusal
from memory.embeddings.remote import CONNECT_TIMEOUT, RemoteEmbedder, RemoteOptions
from memory.webhooks.public_transport import PublicTransport

OPENAI_URL = "https://api.openai.com/v1"
LISTING_TIMEOUT = 5.0  # seconds

# Looked up along the class's ancestors. Errors with a status go to failures.refusal instead.
ERRORS: dict[type[Exception], Failure] = {
    openai.OpenAIError: Failure.BAD_REQUEST,  # the SDK itself refused the request
    openai.APIError: Failure.SERVER_ERROR,
    openai.APIResponseValidationError: Failure.BAD_ANSWER,
    openai.APIConnectionError: Failure.INTERRUPTED,
    openai.APITimeoutError: Failure.TIMEOUT,
}
# Connection never made; the SDK has the same two classes for this and for a broken connection.
NOT_THERE = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


class OpenAICompatibleEmbedder(RemoteEmbedder):
    """A model at `base_url` ("" is OpenAI's own), called with `api_key`.

    The protocol has one kind of text: queries and documents are embedded alike.
    """

    name = "openai"

    def __init__(self, *, public_only: bool = False, **options: Unpack[RemoteOptions]) -> None:
        # Without a transport of our own, the SDK makes its usual client.
        transport = PublicTransport() if public_only else None
        self._http = openai.DefaultHttpx2Client(transport=transport) if transport else None
        super().__init__(**options)

    def _connect(self, base_url: str, api_key: str) -> None:
        # Ollama and llama.cpp need no key, but the SDK does (or looks for one in the environment).
        # RemoteEmbedder retries, not the SDK, whose retries have no total time limit.
        self._client = openai.OpenAI(
            base_url=base_url or OPENAI_URL,
            api_key=api_key or "none",
            max_retries=0,
            http_client=self._http,
        )

    def close(self) -> None:
        self._client.close()

    def listed_models(self) -> list[str]:
        try:
            listed = self._client.get(
                "/models", cast_to=object, options={"timeout": LISTING_TIMEOUT}
            )
        except openai.OpenAIError as error:
            raise translate(error) from error
        except ValueError as error:
            raise Failure.BAD_ANSWER.error(f"{type(error).__name__}: {error}") from error
        models = listed.get("data") if isinstance(listed, dict) else None
        named = (one.get("id") for one in models or [] if isinstance(one, dict))
        return sorted(str(name) for name in named if name)

    def _ask(self, texts: Sequence[str], *, kind: TextKind, timeout: float) -> object:
        # The SDK's own method asks for base64, which not every endpoint supports.
        body = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        times = openai.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT))
        try:
            return self._client.post(
                "/embeddings", cast_to=object, body=body, options={"timeout": times}
            )
        except openai.OpenAIError as error:
            raise translate(error) from error
        except ValueError as error:  # not JSON, or not UTF-8
            raise Failure.BAD_ANSWER.error(f"{type(error).__name__}: {error}") from error


def translate(error: openai.OpenAIError) -> EmbeddingError:
    """Return our error for the SDK's error, with the endpoint's message and requested delay."""
    if isinstance(error, openai.APIStatusError):
        return refusal(error.status_code, error.response.headers, str(error))
    if isinstance(error.__cause__, NOT_THERE):
        return Failure.UNREACHABLE.error(str(error.__cause__))
    failure = next(ERRORS[ancestor] for ancestor in type(error).__mro__ if ancestor in ERRORS)
    return failure.error(str(error.__cause__ or error))
