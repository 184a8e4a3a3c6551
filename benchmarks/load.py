"""People chatting and programs searching at once: `python -m benchmarks.load`.

Two web processes share one PostgreSQL and 800 memories. First 50 clients search, each one question
after another. Then 100 people chat with a stub model that sends 60 tokens at 30 a second; between
two turns a person thinks for 0 to 8 seconds. The same turns follow without memory, and at `/v1`.

Elapsed times need an idle machine, because the clients and the stub use the same cores. The
processor time of each search and turn changes little with other work on the machine. No worker
runs.
"""

import argparse
import asyncio
import json
import statistics
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any
from urllib.request import Request, urlopen

import psutil

from benchmarks import harness
from benchmarks.filled_space import filled_space
from benchmarks.first_token import stub_model
from benchmarks.http_streams import Target, stream_ms

TOKENS, TOKENS_A_SECOND = 60, 30
THINKING = 8.0  # seconds at most
LIMIT = 10


@dataclass(frozen=True)
class Load:
    """The amount of work: searching clients and their seconds, people and their turns."""

    clients: int
    seconds: float
    people: int
    turns: int


@dataclass(frozen=True)
class Servers:
    """The web processes, PostgreSQL's first process, and what a caller needs."""

    urls: list[str]
    web: list[int]
    postgres: int
    key: str
    questions: list[str]

    def processor_ms(self) -> tuple[float, float]:
        """Return the processor time so far of the web processes and of PostgreSQL."""
        web = sum(_used(psutil.Process(pid)) for pid in self.web)
        postmaster = psutil.Process(self.postgres)
        ended = postmaster.cpu_times()
        postgres = sum(_used(process) for process in [postmaster, *postmaster.children()])
        return web * 1000, (postgres + ended.children_user + ended.children_system) * 1000


def _used(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


class Connection:
    """HTTP/1.1 over one open connection, for one request at a time."""

    def __init__(self, url: str, key: str) -> None:
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port = int(port)
        self._head = (
            f"POST /api/v1/memories/search HTTP/1.1\r\nHost: {self._host}:{port}\r\n"
            f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
        )

    async def ask(self, questions: list[str], until: float) -> list[float]:
        """Search until the time is over; return the ms of each answer."""
        reader, writer = await asyncio.open_connection(self._host, self._port)
        taken, number = [], 0
        while (started := perf_counter()) < until:
            body = json.dumps({"query": questions[number % len(questions)], "limit": LIMIT})
            writer.write(f"{self._head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 "), head
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split()[0]))
            taken.append((perf_counter() - started) * 1000)
            number += 1
        writer.close()
        return taken


async def _searches(servers: Servers, load: Load) -> harness.Row:
    until = perf_counter() + load.seconds

    async def client(number: int) -> list[float]:
        url = servers.urls[number % len(servers.urls)]
        return await Connection(url, servers.key).ask(servers.questions[number:], until)

    async def all_clients() -> list[float]:
        found = await asyncio.gather(*(client(number) for number in range(load.clients)))
        return [ms for one in found for ms in one]

    taken, spent = await _with_processor(servers, all_clients)
    return {"searches a second": round(len(taken) / load.seconds), **_spread("", taken), **spent}


def _chat(servers: Servers, person: int, memory: str, question: str) -> Target:
    return Target(
        f"{servers.urls[person % len(servers.urls)]}/api/v1/chat",
        {"Authorization": f"Bearer {servers.key}"},
        {"message": question, "stream": True, "memory": memory},
        token=b"event: token",
        end=b"event: done",
    )


def _completion(servers: Servers, person: int, memory: str, question: str) -> Target:
    messages = [{"role": "user", "content": question}]
    return Target(
        f"{servers.urls[person % len(servers.urls)]}/v1/chat/completions",
        {"Authorization": f"Bearer {servers.key}"},
        {"model": "stub", "messages": messages, "stream": True, "ebb": {"memory": memory}},
        token=b'"content":',
        end=b"[DONE]",
    )


WAYS = {
    "chat, memory on": (_chat, "on"),
    "chat, memory off": (_chat, "off"),
    "/v1, memory on": (_completion, "on"),
}


async def _turns(servers: Servers, load: Load, way: str) -> harness.Row:
    target, memory = WAYS[way]

    async def person(number: int) -> list[tuple[float, float] | None]:
        random, taken = Random(number), []
        for turn in range(load.turns):
            await asyncio.sleep(random.uniform(0, THINKING))
            question = servers.questions[(number + turn) % len(servers.questions)]
            taken.append(await stream_ms(target(servers, number, memory, question)))
        return taken

    async def everybody() -> list[tuple[float, float] | None]:
        found = await asyncio.gather(*(person(number) for number in range(load.people)))
        return [times for one in found for times in one]

    taken, spent = await _with_processor(servers, everybody)
    good = [times for times in taken if times is not None]
    return {
        "what": way,
        "failed": f"{len(taken) - len(good)} of {len(taken)}",
        **_spread("first token ", [first for first, _ in good]),
        "whole reply p50 ms": round(statistics.median(whole for _, whole in good)),
        **spent,
    }


async def _with_processor(
    servers: Servers, work: Callable[[], Coroutine[Any, Any, list[Any]]]
) -> tuple[list[Any], harness.Row]:
    """Return the result of the work, and the processor time in ms for each of its items."""
    before = servers.processor_ms()
    taken = await work()
    web, postgres = (
        (then - at_first) / len(taken)
        for at_first, then in zip(before, servers.processor_ms(), strict=True)
    )
    return taken, {"processor ms: web": round(web, 1), "PostgreSQL": round(postgres, 1)}


def _spread(what: str, ms: list[float]) -> harness.Row:
    p50, p95 = statistics.median(ms), harness.percentile(ms, 95)
    return {f"{what}p50 ms": round(p50), f"{what}p95 ms": round(p95)}


def _prepare_stub(stub: str, replies: int) -> None:
    text = " ".join(["tide"] * TOKENS)
    told = {"delay_ms": 1000 / TOKENS_A_SECOND, "script": [f"reply:{text}"] * replies}
    body = json.dumps(told).encode()
    request = Request(f"{stub.removesuffix('/v1')}/control", body, method="POST")
    urlopen(request).close()


@contextmanager
def _servers(folder: Path, processes: int, stub: str) -> Iterator[Servers]:
    from django.conf import settings
    from django.db import connection

    # Imported late: they need settings, as everything of Django's.
    from benchmarks.corpus import questions
    from tests.processes import running_processes

    _, key = filled_space()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = psutil.Process(cursor.fetchone()[0])
    with running_processes(settings.DATABASE_URL, folder) as started:
        variables = {"OPENAI_BASE_URL": stub, "EBB_CHAT_MODEL": "stub"}
        web = [started.web(**variables) for _ in range(processes)]
        urls, pids = [one.url for one in web], [one.pid for one in web]
        yield Servers(urls, pids, backend.ppid(), key, questions(150, seed=3))


def measure(folder: Path, processes: int, load: Load, ways: list[str]) -> None:
    """Measure the searches, then the turns of each way; print and save the tables."""
    report = harness.Report("load")
    with stub_model() as stub, _servers(folder, processes, stub) as servers:
        _prepare_stub(stub, (load.people * load.turns + 8) * len(WAYS))
        warm_up = Load(clients=4, seconds=3, people=8, turns=1)
        asyncio.run(_searches(servers, warm_up))
        report.add(f"{load.clients} clients search", [asyncio.run(_searches(servers, load))])
        asyncio.run(_turns(servers, warm_up, ways[0]))
        rows = [asyncio.run(_turns(servers, load, way)) for way in ways]
        report.add(f"{load.people} people chat", rows)
    report.save(**vars(load), web_processes=processes, tokens=TOKENS, a_second=TOKENS_A_SECOND)


def main() -> None:
    """Read the options and measure in an Ebb of its own."""
    parser = argparse.ArgumentParser(description="People chat, and programs search")
    parser.add_argument("--web", type=int, default=2, help="web processes")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    options = parser.parse_args()
    load = Load(options.clients, options.seconds, options.people, options.turns)
    with harness.own_ebb() as folder:
        measure(folder, options.web, load, options.ways)


if __name__ == "__main__":
    main()
