"""Measures the time around recall in `memories/search`: `python -m benchmarks.search_http`.

One client on one open connection calls the web server, with 800 memories in the space. The response
says how long recall took in the server. The rest is the framework's share: HTTP, checking the key
and the request, and writing ten memories with their numbers as JSON. Two other calls take turns
with it: `health/live`, which does nothing, and the same recall in this process. Then the processor
time of each is measured, which other work on the machine affects less than elapsed time.
"""

import argparse
import json
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from benchmarks import harness
from benchmarks.filled_space import MEMORIES, filled_space

LIMIT = 10
_SEARCH, _LIVE, _RECALL = "memories/search", "health/live", "recall() in this process"


class KeptOpen:
    """HTTP/1.1 over one connection, with as little work of its own as possible."""

    def __init__(self, url: str, key: str) -> None:
        address = urlsplit(url)
        assert address.hostname is not None
        self._socket = socket.create_connection((address.hostname, address.port or 80))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._headers = f"Host: {address.netloc}\r\nAuthorization: Bearer {key}\r\n"

    def get(self, path: str) -> bytes:
        """Return the answer to a GET request."""
        return self._answer(f"GET /api/v1/{path} HTTP/1.1\r\n{self._headers}\r\n".encode())

    def post(self, path: str, body: bytes) -> bytes:
        """Return the answer to a POST request."""
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        head = f"POST /api/v1/{path} HTTP/1.1\r\n{self._headers}{kind}\r\n"
        return self._answer(head.encode() + body)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _answer(self, request: bytes) -> bytes:
        """Return the body of a 200 response with a Content-Length."""
        self._socket.sendall(request)
        head, separator, body = self._socket.recv(65536).partition(b"\r\n\r\n")
        assert separator, head
        assert head.startswith(b"HTTP/1.1 200 "), head + body
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        while len(body) < length:
            part = self._socket.recv(65536)
            assert part, "the server has closed the connection"
            body += part
        return body


Works = dict[str, Callable[[int], Any]]


def _works(client: KeptOpen, space: Any) -> Works:
    from django.utils import timezone

    from benchmarks.corpus import questions
    from memory.recall.recall import SearchRequest, recall

    asked, now = questions(50, seed=3), timezone.now()
    bodies = [json.dumps({"query": query, "limit": LIMIT}).encode() for query in asked]
    return {
        _LIVE: lambda turn: client.get(_LIVE),
        _SEARCH: lambda turn: client.post(_SEARCH, bodies[turn % len(bodies)]),
        _RECALL: lambda turn: recall(
            space, SearchRequest(asked[turn % len(asked)], limit=LIMIT), now=now
        ),
    }


def _times(works: Works, rounds: int) -> list[harness.Row]:
    answers: dict[int, bytes] = {}

    def search(turn: int) -> None:
        answers[turn] = works[_SEARCH](turn)

    again = {f"{_LIVE} again (noise)": works[_LIVE]}
    taken = harness.in_turns(works | {_SEARCH: search} | again, rounds=rounds)
    found = [json.loads(answers[turn]) for turn in range(rounds)]
    assert all(len(answer["results"]) == LIMIT for answer in found)
    within = [answer["took_ms"] for answer in found]
    around = [ms - inner for ms, inner in zip(taken[_SEARCH], within, strict=True)]
    taken |= {"recall in the server": within, "the framework's share": around}
    return [harness.compared(name, ms, taken[_LIVE]) for name, ms in taken.items()]


def _processor_times(works: Works, web: int, rounds: int) -> list[harness.Row]:
    """Return the processor time of each work: the web server's, or this process's for recall()."""
    own, server = psutil.Process(), psutil.Process(web)
    spent = {
        name: _spent(own if name == _RECALL else server, work, rounds)
        for name, work in works.items()
    }
    spent["the framework's share"] = spent[_SEARCH] - spent[_RECALL]
    return [{"what": name, "processor ms": round(ms, 2)} for name, ms in spent.items()]


def _spent(process: psutil.Process, work: Callable[[int], object], rounds: int) -> float:
    """Return the processor's ms for one call. The system counts in steps of 10 ms, so the work runs
    many times in a row."""
    before = process.cpu_times()
    for turn in range(rounds):
        work(turn)
    after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) * 1000 / rounds


def measure(folder: Path, rounds: int) -> None:
    """Fill a space, measure and save the tables."""
    from django.conf import settings

    # Imported late: it needs settings, as everything of Django's.
    from tests.processes import running_processes

    space, key = filled_space()
    report = harness.Report("search_http")
    with (
        running_processes(settings.DATABASE_URL, folder) as started,
        closing(KeptOpen((web := started.web()).url, key)) as client,
    ):
        works = _works(client, space)
        report.add(f"One request at a time, {MEMORIES} memories", _times(works, rounds))
        report.add("What each costs the processor", _processor_times(works, web.pid, rounds))
    report.save(rounds=rounds, memories=MEMORIES, limit=LIMIT, web_processes=1)


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="The framework's share of memories/search")
    parser.add_argument("--rounds", type=int, default=400)
    options = parser.parse_args()
    with harness.own_ebb() as folder:
        measure(folder, options.rounds)


if __name__ == "__main__":
    main()
