"""Reads answers, for the sync and the async client: errors, pauses, server-sent events."""

import json
import urllib.parse
from collections.abc import Mapping
from typing import Any, NamedTuple

from ebb_client.errors import Busy, EbbError, ModelUnavailable, RateLimited, Unreachable, error_of

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 30.0  # seconds


class Event(NamedTuple):
    """A server-sent event."""

    name: str
    data: dict[str, Any]


class EventReader:
    """Puts the lines of a stream together to events."""

    def __init__(self) -> None:
        self._name = ""
        self._data: list[str] = []

    def read(self, line: str) -> Event | None:
        """Return the event that this line ends, or None. Raises the error of an `error` event."""
        field, _, value = line.rstrip("\r\n").partition(": ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif not field and self._name:
            event = Event(self._name, json.loads("\n".join(self._data)))
            self._name, self._data = "", []
            if event.name == "error":
                raise error_of(event.data)
            return event
        return None


def base_of(url: str) -> str:
    """Return the address without a slash at its end. Raises ValueError unless it is of HTTP."""
    if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
        raise ValueError(f"not an http or https URL: {url}")
    return url.rstrip("/")


def with_query(path: str, query: Mapping[str, object] | None) -> str:
    """Return the path with the fields of the query that are not None; objects become JSON."""
    given = {
        name: json.dumps(value) if isinstance(value, dict) else value
        for name, value in (query or {}).items()
        if value is not None
    }
    return f"{path}?{urllib.parse.urlencode(given)}" if given else path


def encoded(body: object) -> tuple[bytes | None, dict[str, str]]:
    """Return the body to send and its headers: a string as XML, everything else as JSON."""
    if body is None:
        return None, {}
    if isinstance(body, str):
        return body.encode(), {"Content-Type": "application/xml"}
    return json.dumps(body).encode(), {"Content-Type": "application/json"}


def decoded(content: bytes, content_type: str) -> Any:
    """Return parsed JSON, other text, or None if the content is empty."""
    if not content:
        return None
    return json.loads(content) if "json" in content_type else content.decode()


def refusal(status: int, reason: str, content: bytes, retry_after: str | None) -> EbbError:
    """Return the error of an answer, also if it comes from a proxy."""
    try:
        problem = json.loads(content)
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    problem = {"detail": reason, **problem, "status": status}
    return error_of(problem, retry_after=_seconds(retry_after))


def _seconds(header: str | None) -> float | None:
    try:
        return float(header or "")
    except ValueError:
        return None


def worth_repeating(error: EbbError, *, twice: bool) -> bool:
    """Return whether a retry may help and is safe. `twice` means that Ebb may receive the call
    twice."""
    if isinstance(error, Unreachable):
        return twice or not error.sent
    return isinstance(error, RateLimited) or (twice and isinstance(error, ModelUnavailable | Busy))


def pause(error: EbbError, attempt: int) -> float:
    """Return the seconds until the next attempt: what Ebb asked for, else twice as long each
    time."""
    asked = error.retry_after if error.retry_after is not None else _FIRST_PAUSE * 2**attempt
    return min(asked, _LONGEST_PAUSE)
