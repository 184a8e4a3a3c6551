"""How the SDK's requests travel: through aiohttp, whose parser is C.

httpx2's own transport is Python, and looks at every free connection for each request; with two
hundred streams at once that was two fifths of what they cost. The SDK has a bridge to aiohttp
as well, but it calls a connection that broke a timeout, and loses what had come before.
"""

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import aiohttp
import httpx2

MOST_CONNECTIONS = 1000  # as the SDK has it


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """Opens its connections at the first request, in the event loop of that request."""

    def __init__(self, ssl_context: ssl.SSLContext) -> None:
        self._ssl_context = ssl_context
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises httpx2's errors, as every transport does."""
        timeouts = request.extensions.get("timeout", {})
        with _in_httpx2s_words():
            answer = await self._opened().request(
                request.method,
                str(request.url),
                headers=request.headers,
                data=await request.aread() or None,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    sock_connect=timeouts.get("connect"), sock_read=timeouts.get("read")
                ),
            )
        return httpx2.Response(
            answer.status,
            headers=answer.raw_headers,
            stream=_Body(answer),
            request=request,
            extensions={"http_version": b"HTTP/1.1"},
        )

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=self._ssl_context, limit=MOST_CONNECTIONS),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,  # httpx2 does
            )
        return self._session


class _Body(httpx2.AsyncByteStream):
    """The body as it comes; each part is all that has come since the last one."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        content = self._answer.content
        try:
            with _in_httpx2s_words():
                while part := await content.readany():
                    yield part
        except httpx2.RequestError:
            # What came before the connection broke is still there, behind the error.
            content.set_exception(None)  # type: ignore[arg-type]  # nobody else takes it off
            if rest := content.read_nowait():
                yield rest
            raise

    async def aclose(self) -> None:
        # A connection with something left to read is closed, any other is kept for the next.
        self._answer.release()


@contextmanager
def _in_httpx2s_words() -> Iterator[None]:
    try:
        yield
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
        raise httpx2.UnsupportedProtocol(str(error)) from error
    except aiohttp.ConnectionTimeoutError as error:
        raise httpx2.ConnectTimeout(str(error)) from error
    except aiohttp.ServerTimeoutError as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except aiohttp.ClientConnectorError as error:
        raise httpx2.ConnectError(str(error)) from error
    except aiohttp.ClientResponseError as error:  # no HTTP
        raise httpx2.RemoteProtocolError(str(error)) from error
    except aiohttp.ClientError as error:
        raise httpx2.ReadError(str(error)) from error
