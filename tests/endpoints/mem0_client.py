"""Requests as mem0's own clients send them, for the tests of the endpoint.

The paths and bodies are those of `mem0ai` 2.0.18 (Python) and 3.1.6 (JavaScript), read from their
sources, and of 1.0.11 where a test says so. Python's 2.2.1 and JavaScript's 3.3.1 work as well.
"""

import json
from collections.abc import Sequence
from typing import Any

from django.test import Client
from django.utils import timezone

from accounts.keys.services import create_key
from accounts.models import Space
from foundation.actors import SYSTEM
from tests.conftest import Answer

ALLERGY = "I'm allergic to penicillin"


class Mem0:
    """Sends requests as mem0's clients do: with a token, a slash at the end, and JSON."""

    def __init__(self, secret: str, **headers: str) -> None:
        self._client = Client(headers={"Authorization": f"Token {secret}", **headers})

    def call(self, method: str, path: str, body: object = None, **query: Any) -> Answer:
        return self._client.generic(
            method,
            f"/mem0{path}",
            b"" if body is None else json.dumps(body),
            content_type="application/json",
            query_params=query or None,
        )

    def add(self, text: str, **options: Any) -> Any:
        body = {"messages": [{"role": "user", "content": text}], **options}
        return told(self.call("POST", "/v3/memories/add/", body))

    def search(self, query: str, **options: Any) -> list[str]:
        found = told(self.call("POST", "/v3/memories/search/", {"query": query, **options}))
        return [one["memory"] for one in found["results"]]

    def texts(self, *filters: Any, **options: Any) -> set[str]:
        """The texts that `get_all` finds with these filters, joined by AND."""
        body = {"filters": {"AND": list(filters)} if filters else {}, **options}
        found = told(self.call("POST", "/v3/memories/", body))
        assert found["count"] == len(found["results"])
        return {one["memory"] for one in found["results"]}


def told(answer: Answer) -> Any:
    assert answer.status_code == 200, answer.content
    return answer.json()


def refused(answer: Answer, status: int) -> str:
    """The sentence that the client shows for an error."""
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/json"
    detail: str = answer.json()["detail"]
    return detail


def key_of(space: Space, user: str | None = None, scopes: Sequence[str] = ("read", "write")) -> str:
    return create_key(
        space=space, scopes=scopes, actor=SYSTEM, now=timezone.now(), name="test", user_id=user
    )[1]
