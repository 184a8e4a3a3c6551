"""One attempt to send a message. Needs no database connection."""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

import httpx2

from foundation.http.retry_after import retry_after
from memory.webhooks import signing
from memory.webhooks.addresses import Endpoint, Unreachable, checked_address, endpoint_of

SECONDS = 15.0
"""Timeout of the whole attempt, so that a receiver that sends slowly cannot extend it."""
KEPT = 500  # characters of a response
SECRET_UNREADABLE = "SECRET_KEY has changed, so the secret cannot be read. Rotate the secret."  # noqa: S105 - a sentence


@dataclass(frozen=True)
class Message:
    """A message, and the URL and secret of its webhook."""

    id: UUID
    url: str
    secret: str
    payload: dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The outcome of an attempt: a response (`status`), or an error without a response."""

    took_ms: float
    status: int | None = None
    response: str = ""
    error: str = ""
    permanent: bool = False
    retry_after: float | None = None

    @property
    def delivered(self) -> bool:
        """True if the receiver answered with a status from 200 to 299."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """True if the receiver permanently refuses messages."""
        return self.status == 410


def send(message: Message, *, now: datetime, private: bool) -> Outcome:
    """Post the message once; redirects are not followed. `private` allows private addresses."""
    started = perf_counter()

    def outcome(**values: Any) -> Outcome:
        """Return the outcome with the duration so far."""
        return Outcome(took_ms=(perf_counter() - started) * 1000, **values)

    try:
        place = endpoint_of(message.url)
        address = checked_address(place, private=private)
        status, text, pause = asyncio.run(_post(message, place, address, now))
    except Unreachable as error:
        return outcome(error=str(error), permanent=error.permanent)
    except TimeoutError:
        return outcome(error=f"No complete response within {SECONDS:.0f} seconds.")
    # OSError: the library lets TLS errors inside a connection through.
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        return outcome(error=f"{type(error).__name__}: {error}"[:KEPT])
    wrong = "" if 200 <= status < 300 else f"The answer was {status}."
    if 300 <= status < 400:
        wrong += " Redirects are not followed."
    return outcome(status=status, response=text, error=wrong, retry_after=pause)


async def _post(
    message: Message, place: Endpoint, address: str, now: datetime
) -> tuple[int, str, float | None]:
    body = json.dumps(message.payload, ensure_ascii=False, separators=(",", ":")).encode()
    headers = {
        **signing.headers(message.secret, message.id, int(now.timestamp()), body),
        "host": place.authority,
        "content-type": "application/json",
        "user-agent": "Ebb-Webhooks/1",
    }
    host = f"[{address}]" if ":" in address else address
    url = f"{place.scheme}://{host}:{place.port}{place.target}"
    # The certificate is requested and verified by name; SSL_CERT_FILE may set the trusted issuers.
    # Proxies of the environment are not used, because they would resolve the name again.
    by_name = {"sni_hostname": place.host}
    vouched = httpx2.create_ssl_context()
    async with (
        asyncio.timeout(SECONDS),
        httpx2.AsyncClient(trust_env=False, verify=vouched, timeout=None) as client,
    ):
        request = client.build_request(
            "POST", url, content=body, headers=headers, extensions=by_name
        )
        answer = await client.send(request, stream=True, follow_redirects=False)
        try:
            pause = retry_after(answer.headers)
            return answer.status_code, await _beginning(answer), pause
        finally:
            await answer.aclose()


async def _beginning(answer: httpx2.Response) -> str:
    """Return the beginning of a response, as text that a database can store."""
    said = b""
    async for piece in answer.aiter_raw(KEPT):
        said += piece
        if len(said) >= KEPT:
            break
    return said[:KEPT].decode("utf-8", "replace").replace("\x00", "\ufffd")
