"""Sends requests and reads answers: JSON over HTTP, server-sent events, retries."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple

from ebb_client.errors import EbbError, ModelUnavailable, RateLimited, Unreachable, error_of

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 30.0  # seconds


class Event(NamedTuple):
    """A server-sent event."""

    name: str
    data: dict[str, Any]


class Wire:
    """Calls an API below `url` with a key."""

    def __init__(self, url: str, key: str, *, timeout: float, retries: int) -> None:
        if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
            raise ValueError(f"not an address of http or https: {url}")
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}"}
        self._timeout = timeout
        self._retries = retries

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
        twice: bool = False,
    ) -> Any:
        """Return the answer: parsed JSON, other text, or None if it is empty.

        `twice` means that Ebb may safely receive the call twice, as it may any GET. Raises
        EbbError.
        """
        given = {name: value for name, value in (query or {}).items() if value is not None}
        where = f"{path}?{urllib.parse.urlencode(given)}" if given else path
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        twice = twice or method == "GET" or idempotency_key is not None
        for attempt in range(self._retries + 1):
            try:
                with self._answer(method, where, body, headers) as answer:
                    return _content(answer)
            except EbbError as error:
                if attempt == self._retries or not _worth_repeating(error, twice=twice):
                    raise
                time.sleep(_pause(error, attempt))
        raise AssertionError("the last attempt returns or raises")

    def stream(self, path: str, body: object) -> Iterator[Event]:
        """Yield the events of an answer; leaving the loop ends the call.

        An `error` event is raised.
        """
        with self._answer("POST", path, body, {"Accept": "text/event-stream"}) as answer:
            for event in _events(answer):
                if event.name == "error":
                    raise error_of(event.data)
                yield event

    @contextmanager
    def _answer(
        self, method: str, path: str, body: object, headers: Mapping[str, str]
    ) -> Iterator[HTTPResponse]:
        """Yield the answer, to read inside the block.

        A string is sent as XML, everything else as JSON.
        """
        sent: dict[str, str] = {**self._headers, **headers}
        data = None
        if body is not None:
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            sent["Content-Type"] = f"application/{'xml' if isinstance(body, str) else 'json'}"
        request = urllib.request.Request(f"{self._url}/{path}", data, sent, method=method)  # noqa: S310 - http or https, see __init__
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310 - as above
                yield answer
        except urllib.error.HTTPError as answer:
            with answer:
                raise _refusal(answer) from None
        except (OSError, HTTPException) as failure:
            reason = getattr(failure, "reason", failure)
            refused = isinstance(reason, ConnectionRefusedError)
            raise Unreachable(str(reason), sent=not refused) from failure


def _content(answer: HTTPResponse) -> Any:
    content = answer.read()
    if not content:
        return None
    if "json" in answer.headers.get("Content-Type", ""):
        return json.loads(content)
    return content.decode()


def _refusal(answer: urllib.error.HTTPError) -> EbbError:
    """Return the error of an answer, also if it comes from a proxy."""
    try:
        problem = json.loads(answer.read())
    except (ValueError, OSError, HTTPException):
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    problem = {"detail": answer.reason, **problem, "status": answer.code}
    try:
        retry_after = float(answer.headers["Retry-After"])
    except (TypeError, ValueError):
        retry_after = None
    return error_of(problem, retry_after=retry_after)


def _worth_repeating(error: EbbError, *, twice: bool) -> bool:
    if isinstance(error, Unreachable):
        return twice or not error.sent
    return isinstance(error, RateLimited) or (twice and isinstance(error, ModelUnavailable))


def _pause(error: EbbError, attempt: int) -> float:
    asked = error.retry_after if error.retry_after is not None else _FIRST_PAUSE * 2**attempt
    return min(asked, _LONGEST_PAUSE)


def _events(lines: HTTPResponse) -> Iterator[Event]:
    name, data = "", []
    for raw in lines:
        field, _, value = raw.decode().rstrip("\r\n").partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not field and name:
            yield Event(name, json.loads("\n".join(data)))
            name, data = "", []
