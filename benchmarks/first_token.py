"""Measures how much time memory adds before the first token: `python -m benchmarks.first_token`.

The stub model is a process of its own that waits 5 ms before each token. The same bare HTTP client
asks the model directly and through Ebb's web server, in turns, with 800 memories in the space.

Through Ebb without memory, a turn checks the key, commits the message to the database and uses the
openai SDK. With memory, it also writes the outbox, embeds the question, recalls, and sends a longer
prompt. No worker runs: its work comes after the first token.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import openai

from benchmarks import harness
from benchmarks.filled_space import MEMORIES, filled_space
from benchmarks.http_streams import Target, at_once, first_token_ms

DELAY_MS = 5.0
CONCURRENCY = {1: 20, 20: 3, 100: 2, 200: 1}  # streams at once: how many times
QUESTION = "where does Ana live, and what is she allergic to?"
_STREAMS = ("stub model", "through Ebb, memory off", "through Ebb, memory on")
_OPENAI = ("through /v1, memory off", "through /v1, memory on")
_AGAIN = "stub model again (noise)"
_SDK = "stub model, openai SDK"
_MESSAGES: Any = [{"role": "user", "content": QUESTION}]


@contextmanager
def stub_model() -> Iterator[str]:
    """Run the stub as a process; yield its base URL."""
    command = [sys.executable, "-m", "tests.stub_model", "--delay-ms", str(DELAY_MS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


@dataclass(frozen=True)
class Ways:
    """The ways to ask the same model; those with `openai` send the direct request to Ebb."""

    direct: Target
    without_memory: Target
    with_memory: Target
    openai_without_memory: Target
    openai_with_memory: Target


def _ways(stub: str, web: str, key: str) -> Ways:
    def completion(url: str, key: str, **extension: Any) -> Target:
        return Target(
            f"{url}/chat/completions",
            {"Authorization": f"Bearer {key}"},
            {"model": "stub", "messages": _MESSAGES, "stream": True, **extension},
            token=b'"delta": {"content": "',
            end=b"[DONE]",
        )

    without_memory, with_memory = (
        Target(
            f"{web}/api/v1/chat",
            {"Authorization": f"Bearer {key}"},
            {"message": QUESTION, "stream": True, "memory": memory},
            token=b"event: token",
            end=b"event: done",
        )
        for memory in ("off", "on")
    )
    return Ways(
        completion(stub, "none"),
        without_memory,
        with_memory,
        *(completion(f"{web}/v1", key, ebb={"memory": memory}) for memory in ("off", "on")),
    )


async def _sdk_first_token_ms(client: openai.AsyncOpenAI) -> float:
    """Return the time by the SDK, as a program without memory would ask. The connection stays
    open."""
    started, first = perf_counter(), None
    stream = await client.chat.completions.create(model="stub", messages=_MESSAGES, stream=True)
    async for chunk in stream:
        if first is None and chunk.choices and chunk.choices[0].delta.content:
            first = (perf_counter() - started) * 1000
    assert first is not None
    return first


async def _sdk_at_once(stub: str, count: int) -> list[float]:
    async with openai.AsyncOpenAI(base_url=stub, api_key="none") as client:
        return await asyncio.gather(*(_sdk_first_token_ms(client) for _ in range(count)))


async def _one_by_one(ways: Ways, stub: str, rounds: int) -> list[list[harness.Row]]:
    """Return two tables: every way compared with the stub, and memory compared with no memory."""
    taken: dict[str, list[float]] = {name: [] for name in (*_STREAMS, *_OPENAI, _AGAIN, _SDK)}
    async with openai.AsyncOpenAI(base_url=stub, api_key="none") as client:
        for turn in range(-20, rounds):
            times = [
                await first_token_ms(ways.direct),
                await first_token_ms(ways.without_memory),
                await first_token_ms(ways.with_memory),
                await first_token_ms(ways.openai_without_memory),
                await first_token_ms(ways.openai_with_memory),
                await first_token_ms(ways.direct),
                await _sdk_first_token_ms(client),
            ]
            for values, ms in zip(taken.values(), times, strict=True):
                assert ms is not None
                if turn >= 0:
                    values.append(ms)
    stub_model, without_memory, with_memory = _STREAMS
    return [
        [harness.compared(name, ms, taken[stub_model]) for name, ms in taken.items()],
        [
            harness.compared(name, taken[name], taken[without_memory])
            for name in (without_memory, with_memory)
        ],
    ]


async def _side_by_side(ways: Ways, stub: str) -> list[harness.Row]:
    """Return the rows of many streams at once. The SDK represents a Python program that asks the
    model without memory and without a web server."""
    rows: list[harness.Row] = []
    targets = (ways.direct, ways.without_memory, ways.with_memory)
    for count, times in CONCURRENCY.items():
        taken: dict[str, list[float | None]] = {name: [] for name in (*_STREAMS, _SDK)}
        for _ in range(times):
            for name, target in zip(_STREAMS, targets, strict=True):
                taken[name] += await at_once(target, count)
            taken[_SDK] += await _sdk_at_once(stub, count)
        measured = [_row(count, name, ms) for name, ms in taken.items()]
        base = measured[0]["p95 ms"]
        rows += [row | {"p95 ratio": round(row["p95 ms"] / base, 2)} for row in measured]
    return rows


def _row(count: int, name: str, times: list[float | None]) -> dict[str, Any]:
    good = [ms for ms in times if ms is not None]
    return {
        "streams at once": count,
        "what": name,
        "failed": f"{len(times) - len(good)} of {len(times)}",
        "p50 ms": round(statistics.median(good), 1),
        "p95 ms": round(harness.percentile(good, 95), 1),
    }


async def _measure(ways: Ways, stub: str, rounds: int) -> None:
    report = harness.Report("first_token")
    beside_stub, beside_off = await _one_by_one(ways, stub, rounds)
    report.add(f"One stream at a time, {MEMORIES} memories", beside_stub)
    report.add("What memory adds", beside_off)
    report.add("Streams side by side", await _side_by_side(ways, stub))
    await asyncio.to_thread(
        report.save, rounds=rounds, memories=MEMORIES, stub_delay_ms=DELAY_MS, web_processes=1
    )


def measure(folder: Path, rounds: int) -> None:
    """Fill a space, start the servers and measure."""
    from django.conf import settings

    # Imported late: it needs settings, as everything of Django's.
    from tests.processes import running_processes

    _, key = filled_space()
    with stub_model() as stub, running_processes(settings.DATABASE_URL, folder) as started:
        web = started.web(OPENAI_BASE_URL=stub, EBB_CHAT_MODEL="stub")
        asyncio.run(_measure(_ways(stub, web.url, key), stub, rounds))


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Time to the first token with and without memory")
    parser.add_argument("--rounds", type=int, default=150)
    options = parser.parse_args()
    with harness.own_ebb() as folder:
        measure(folder, options.rounds)


if __name__ == "__main__":
    main()
