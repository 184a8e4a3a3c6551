"""The HTTP requests of the remote embedders, and their failures.

Only the status of a refusal goes further: an endpoint's own words may quote a key or a server
behind it.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx2

from foundation.event_loops import wait_for
from memory.embeddings.base import EmbeddingError
from memory.embeddings.failures import Failure, refusal
from memory.webhooks.endpoint_clients import endpoint_client

CONNECT_TIMEOUT = 3.0  # seconds: a running endpoint accepts at once
_LOOP = "embeddings"

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
# The messages of these errors come from this machine, not from the endpoint or a proxy.
_OWN_WORDS = (httpx2.ConnectError, httpx2.UnsupportedProtocol)


class Wire:
    """The connections to the endpoint at `base_url`, called with `api_key` from any thread."""

    def __init__(self, base_url: str, api_key: str, *, public_only: bool) -> None:
        self.base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._client = endpoint_client(connect=CONNECT_TIMEOUT, public_only=public_only)

    def post(self, path: str, body: Mapping[str, Any], timeout: float) -> object:
        """Return the decoded JSON of the answer, within `timeout` seconds. Raises
        EmbeddingError."""
        return wait_for(self._answer("POST", path, timeout, json=body), of=_LOOP)

    def get(self, path: str, timeout: float) -> object:
        """Return the decoded JSON as `post` does."""
        return wait_for(self._answer("GET", path, timeout), of=_LOOP)

    def close(self) -> None:
        """Close the connections."""
        wait_for(self._client.aclose(), of=_LOOP)

    async def _answer(self, method: str, path: str, timeout: float, **body: Any) -> object:
        # Ollama and llama.cpp need no key, but some proxies in front of them want the header.
        key = {"Authorization": f"Bearer {self._api_key or 'none'}"}
        try:
            async with asyncio.timeout(timeout):
                response = await self._client.request(
                    method, self.base_url + path, headers=key, **body
                )
        except TimeoutError:
            raise Failure.TIMEOUT.error() from None
        except OSError:  # the library lets TLS errors inside a connection through
            raise Failure.INTERRUPTED.error() from None
        except (httpx2.InvalidURL, UnicodeEncodeError):
            raise Failure.BAD_REQUEST.error() from None
        except httpx2.HTTPError as error:
            raise translate(error) from None
        if not response.is_success:
            raise refusal(response.status_code, response.headers)
        try:
            return response.json()
        except (ValueError, RecursionError) as error:  # not JSON, or not UTF-8
            raise Failure.BAD_ANSWER.error(type(error).__name__) from None


def translate(error: httpx2.HTTPError) -> EmbeddingError:
    """Return our error for the client's error."""
    failure = next(ERRORS[ancestor] for ancestor in type(error).__mro__ if ancestor in ERRORS)
    return failure.error(str(error) if isinstance(error, _OWN_WORDS) else "")
