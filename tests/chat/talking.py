"""Talking to a real web server through the JSON API, events as they come."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from memory.models import ModelChoice, ModelConnection, Purpose
from tests.waiting import PATIENCE


@dataclass(frozen=True)
class ServerEvent:
    name: str
    data: Any


class Talker:
    """A program with a key."""

    def __init__(self, url: str, secret: str) -> None:
        self.client = httpx2.Client(
            base_url=f"{url}/api/v1/",
            headers={"Authorization": f"Bearer {secret}"},
            timeout=PATIENCE,
        )

    def say(self, message: str, **options: Any) -> httpx2.Response:
        return self.client.post("chat", json={"message": message, **options})

    @contextmanager
    def stream(
        self, message: str | None, at: str = "chat", **options: Any
    ) -> Iterator[Iterator[ServerEvent]]:
        """The events of a streamed reply; leaving the block leaves the stream."""
        body = {"stream": True, **options} | ({} if message is None else {"message": message})
        with self.client.stream("POST", at, json=body) as response:
            assert response.status_code == 200, response.read()
            assert response.headers["content-type"] == "text/event-stream"
            yield events_of(response.iter_lines())

    def events(self, message: str, **options: Any) -> list[ServerEvent]:
        with self.stream(message, **options) as events:
            return list(events)


def events_of(lines: Iterator[str]) -> Iterator[ServerEvent]:
    """Server-sent events from their lines, with the data read as JSON."""
    name, data = "", ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data += line.removeprefix("data: ")
        elif not line:
            yield ServerEvent(name, json.loads(data))
            name, data = "", ""


def names(events: list[ServerEvent]) -> list[str]:
    """The events' names, runs of the same name once."""
    return [e.name for n, e in enumerate(events) if n == 0 or events[n - 1].name != e.name]


def text(events: list[ServerEvent]) -> str:
    return "".join(event.data["text"] for event in events if event.name == "token")


def read_until(events: Iterator[ServerEvent], said: str) -> str:
    """Reads until so much has been said, in however many events the tokens come."""
    seen: list[ServerEvent] = []
    while text(seen) != said:
        seen.append(next(events))
    return said


def chats_with(model: str, base_url: str) -> None:
    """Choose a model for the chats of all spaces, at a server without one in its environment."""
    connection = ModelConnection.objects.create(name="chosen", base_url=base_url)
    ModelChoice.objects.create(purpose=Purpose.CHAT, connection=connection, model=model)
