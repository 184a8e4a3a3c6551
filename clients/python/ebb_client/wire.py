"""Sends the requests of the sync client, with urllib."""

import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from http.client import HTTPException, HTTPResponse
from typing import Any

from ebb_client.answers import (
    Event,
    EventReader,
    base_of,
    decoded,
    encoded,
    pause,
    refusal,
    with_query,
    worth_repeating,
)
from ebb_client.errors import EbbError, Unreachable


class Wire:
    """Calls an API below `url` with a key, for a user of the space in a time zone."""

    def __init__(
        self,
        url: str,
        key: str,
        user_id: str | None = None,
        timezone: str | None = None,
        *,
        timeout: float,
        retries: int,
    ) -> None:
        self._url = base_of(url)
        self._key = key
        self._timeout = timeout
        self._retries = retries
        self.user_id = user_id
        self.timezone = timezone

    def for_user(self, user_id: str | None, timezone: str | None) -> "Wire":
        """Return the same for another user, in another time zone if one is given."""
        other = copy(self)
        other.user_id, other.timezone = user_id, timezone or self.timezone
        return other

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
        where = with_query(path, query)
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        twice = twice or method == "GET" or idempotency_key is not None
        for attempt in range(self._retries + 1):
            try:
                with self._answer(method, where, body, headers) as answer:
                    return decoded(answer.read(), answer.headers.get("Content-Type", ""))
            except EbbError as error:
                if attempt == self._retries or not worth_repeating(error, twice=twice):
                    raise
                time.sleep(pause(error, attempt))
        raise AssertionError("the last attempt returns or raises")

    def stream(self, path: str, body: object) -> Iterator[Event]:
        """Yield the events of an answer; leaving the loop ends the call.

        An `error` event is raised.
        """
        reader = EventReader()
        with self._answer("POST", path, body, {"Accept": "text/event-stream"}) as answer:
            for line in answer:
                if event := reader.read(line.decode()):
                    yield event

    @contextmanager
    def _answer(
        self, method: str, path: str, body: object, headers: Mapping[str, str]
    ) -> Iterator[HTTPResponse]:
        """Yield the answer, to read inside the block."""
        data, described = encoded(body)
        sent = {"Authorization": f"Bearer {self._key}", **described, **headers}
        if self.user_id is not None:
            # urllib sends headers as Latin-1; Ebb reads them as UTF-8.
            sent["X-Ebb-User"] = self.user_id.encode().decode("latin-1")
        if self.timezone is not None:
            sent["X-Ebb-Timezone"] = self.timezone
        request = urllib.request.Request(f"{self._url}/{path}", data, sent, method=method)  # noqa: S310 - http or https, see base_of
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310 - as above
                yield answer
        except urllib.error.HTTPError as answer:
            with answer:
                raise _refused(answer) from None
        except (OSError, HTTPException) as failure:
            reason = getattr(failure, "reason", failure)
            refused = isinstance(reason, ConnectionRefusedError)
            raise Unreachable(str(reason), sent=not refused) from failure


def _refused(answer: urllib.error.HTTPError) -> EbbError:
    try:
        content = answer.read()
    except (OSError, HTTPException):
        content = b""
    return refusal(answer.code, str(answer.reason), content, answer.headers["Retry-After"])
