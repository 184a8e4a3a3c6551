"""Measures when a message is remembered: `python -m benchmarks.at_once`.

A client tells the chat a fact. The time runs from the last word of the streamed reply until another
request finds the fact. No language model is connected; a web server and a worker run. One client
speaks at a time, then eight at once.
"""

import argparse
import itertools
import statistics
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter, sleep

import httpx2

from benchmarks import harness
from benchmarks.filled_space import filled_space

CLIENTS = 8
PATIENCE = 30.0  # seconds until a fact counts as lost
LOST = float("inf")
PAUSE = 0.005  # seconds between two searches
# Each person has one fact, so that none changes another.
SYLLABLES = ["Ba", "Ti", "Mo", "Ze"], ["ren", "lu", "ska", "dor", "vi"], ["na", "to", "mir", "kel"]
KIN = itertools.cycle(["sister", "boss", "cousin", "neighbour", "teacher"])
FOODS = itertools.cycle(["peanuts", "mustard", "lupins", "shrimps", "almonds", "sesame", "eggs"])


def facts() -> Iterator[tuple[str, str]]:
    """Yield messages that are worth keeping, each with a question that finds it."""
    for name in map("".join, itertools.product(*SYLLABLES)):
        kin, food = next(KIN), next(FOODS)
        yield f"My {kin} {name} is allergic to {food}", f"Is my {kin} {name} allergic to {food}?"


def remembered_ms(client: httpx2.Client, said: str, asked: str) -> float:
    """Say it; return the ms from the reply's last word until a search finds it, or LOST."""
    last = perf_counter()
    with client.stream("POST", "chat", json={"message": said, "stream": True}) as reply:
        for line in reply.iter_lines():
            if line == "event: token":
                last = perf_counter()
    while perf_counter() - last < PATIENCE:
        answer = client.post("memories/search", json={"query": asked, "limit": 5}).json()
        if any(said in one["memory"]["content"] for one in answer["results"]):
            return (perf_counter() - last) * 1000
        sleep(PAUSE)
    print("Lost:", said)
    return LOST


def measure(folder: Path, rounds: int) -> None:
    """Measure and save the tables."""
    from django.conf import settings

    # Imported late: they need settings, as everything of Django's.
    from tests.processes import running_processes

    _, key = filled_space()
    report, told = harness.Report("at_once"), facts()
    with running_processes(settings.DATABASE_URL, folder) as started:
        started.worker()
        base = f"{started.web().url}/api/v1/"
        named = {"Authorization": f"Bearer {key}"}
        with (
            httpx2.Client(base_url=base, headers=named, timeout=60) as client,
            ThreadPoolExecutor(CLIENTS) as pool,
        ):
            for count, workers in (("one client", 1), (f"{CLIENTS} clients at once", CLIENTS)):
                said = list(itertools.islice(told, rounds))
                run = pool.map if workers > 1 else map
                taken = list(run(lambda one: remembered_ms(client, *one), said))
                report.add(f"From the last word to the recall, {count}", [_row(taken)])
    report.save(rounds=rounds, clients=CLIENTS, web_processes=1)


def _row(taken: list[float]) -> harness.Row:
    found = [ms for ms in taken if ms != LOST]
    return {
        "first ms": round(found[0]),
        "median ms": round(statistics.median(found)),
        "p95 ms": round(harness.percentile(found, 95)),
        "lost": len(taken) - len(found),
        "n": len(taken),
    }


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="The time until a message is remembered")
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    with harness.own_ebb() as folder:
        measure(folder, options.rounds)


if __name__ == "__main__":
    main()
