"""Measures how much time memory adds before the first token: `python -m benchmarks.first_token`.

The stub model is a process of its own that waits 5 ms before each token. The same bare HTTP client
asks the model directly and through Ebb's web server, in turns, with 800 memories in the space.

Through Ebb without memory, a turn checks the key, commits the message to the database and uses the
openai SDK. With memory, it also writes the outbox, embeds the question, recalls, and sends a longer
prompt. No worker runs: its work comes after the first token.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import harness
from benchmarks.filled_space import MEMORIES, filled_space
from benchmarks.http_streams import Target, first_token_ms

DELAY_MS = 5.0
QUESTION = "where does Ana live, and what is she allergic to?"
_STREAMS = ("stub model", "through Ebb, memory off", "through Ebb, memory on")
_OPENAI = ("through /v1, memory off", "through /v1, memory on")
_AGAIN = "stub model again (noise)"
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


async def _one_by_one(ways: Ways, rounds: int) -> list[list[harness.Row]]:
    """Return two tables: every way compared with the stub, and memory compared with no memory."""
    taken: dict[str, list[float]] = {name: [] for name in (*_STREAMS, *_OPENAI, _AGAIN)}
    targets = (
        ways.direct,
        ways.without_memory,
        ways.with_memory,
        ways.openai_without_memory,
        ways.openai_with_memory,
        ways.direct,
    )
    for turn in range(-20, rounds):
        for values, target in zip(taken.values(), targets, strict=True):
            ms = await first_token_ms(target)
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


async def _measure(ways: Ways, rounds: int) -> None:
    report = harness.Report("first_token")
    beside_stub, beside_off = await _one_by_one(ways, rounds)
    report.add(f"One stream at a time, {MEMORIES} memories", beside_stub)
    report.add("What memory adds", beside_off)
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
        asyncio.run(_measure(_ways(stub, web.url, key), rounds))


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Time to the first token with and without memory")
    parser.add_argument("--rounds", type=int, default=150)
    options = parser.parse_args()
    with harness.own_ebb() as folder:
        measure(folder, options.rounds)


if __name__ == "__main__":
    main()
