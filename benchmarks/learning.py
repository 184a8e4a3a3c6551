"""Simulates a year with and without learning from use: `python -m benchmarks.learning`.

Users of several kinds tell facts and need some of them later. A full space removes memories in the
order of the product's own formulas. Counts how often a needed memory had already been removed. Both
runs of a year have the same facts, needs and capacity. Memories do not expire; only capacity
removes them. No database is needed.
"""

import argparse
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks import harness
from memory.formulas.importance import (
    adjustment,
    clamp,
    current_importance,
    effective_importance,
    time_coef,
)
from memory.formulas.retention import Tiers, contested_importance

DAYS = 365
CAPACITY = 150
TIERS = Tiers()
GRACE_DAYS = 1.0


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of user. Rates are per day; `season` is (days with needs, days without).

    `needed` is the share of facts that are needed again. With each needed memory `others` more are
    sent. An answer's use of a memory is overlooked with the probability `overlooked`, and one of
    the others counts as used with `mistaken`. A need comes with a confirmation with `confirms`.
    """

    name: str
    told: float = 1.5
    needed: float = 0.3
    needs: float = 0.05
    season: tuple[int, int] | None = None
    others: int = 2
    overlooked: float = 0.2
    mistaken: float = 0.1
    confirms: float = 0.02


KINDS = (
    Kind(name="steady"),
    Kind(name="seasonal", season=(45, 75), needs=0.1),
    Kind(name="noisy", others=4, overlooked=0.5, mistaken=0.3),
    Kind(name="forgetful", needs=0.015, confirms=0.3),
    # Here the uses carry no information, so learning can only do harm.
    Kind(name="control: chance", overlooked=0.7, mistaken=0.3, confirms=0.0),
)


@dataclass(frozen=True)
class Fact:
    """A fact with the day when it is told, its importance, and the days when it is needed."""

    told: int
    importance: float
    needs: frozenset[int]


@dataclass
class Kept:
    """A memory of a fact, with its counts."""

    fact: Fact
    active: int
    use_count: int = 0
    counts: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    def place(self, day: int, *, learn: bool) -> tuple[float, float, int]:
        """Return its place in the order of removal, as the sweep orders memories."""
        coefficient = time_coef(day - self.active, self.use_count, core=False)
        weight = current_importance(self.fact.importance, coefficient)
        if learn:
            weight = effective_importance(weight, adjustment(*self.counts))
        new = day - self.fact.told < GRACE_DAYS
        contested = contested_importance(self.fact.importance, weight, TIERS, new=new)
        return contested, weight, self.fact.told


def facts(kind: Kind, random: Random) -> Iterator[Fact]:
    """Yield the facts of a year. Their importance says a little about whether they are needed."""
    for day in range(DAYS):
        for _ in range(_events(kind.told, random)):
            needed = random.random() < kind.needed
            importance = clamp(random.gauss(0.55 if needed else 0.5, 0.15))
            start = random.randrange(sum(kind.season)) if kind.season else 0
            later = range(day + 1, DAYS)
            days = (d for d in later if needed and _in_season(kind, d + start))
            yield Fact(day, importance, frozenset(d for d in days if random.random() < kind.needs))


def _events(rate: float, random: Random) -> int:
    """Draw a number of events; their mean over many draws is `rate`."""
    return int(rate) + (random.random() < rate % 1)


def _in_season(kind: Kind, day: int) -> bool:
    return kind.season is None or day % sum(kind.season) < kind.season[0]


def lived(kind: Kind, told: list[Fact], seed: int, *, learn: bool) -> tuple[int, int]:
    """Return the number of needs in a year, and of those whose memory had been removed."""
    random, kept = Random(seed), dict[Fact, Kept]()
    needs = lost = 0
    for day in range(DAYS):
        for fact in told:
            if day in fact.needs:
                needs += 1
                lost += fact not in kept
                if fact in kept:
                    _answer(kind, kept, kept[fact], day, random)
        kept |= {fact: Kept(fact, day) for fact in told if fact.told == day}
        order = sorted(kept.values(), key=lambda one: one.place(day, learn=learn))
        for memory in order[: max(0, len(kept) - CAPACITY)]:
            del kept[memory.fact]
    return needs, lost


def _answer(kind: Kind, kept: dict[Fact, Kept], needed: Kept, day: int, random: Random) -> None:
    """Send the needed memory and others, and count what the answer seems to have used."""
    others = random.sample(list(kept.values()), min(kind.others, len(kept)))
    for memory in (needed, *(one for one in others if one is not needed)):
        memory.use_count += 1
        memory.active = day
        chance = 1 - kind.overlooked if memory is needed else kind.mistaken
        memory.counts[0 if random.random() < chance else 1] += 1
    needed.counts[2] += random.random() < kind.confirms


def compared(kind: Kind, years: int) -> dict[str, Any]:
    """Return a row of the report: the share of needs whose memory had been removed."""
    pairs, needs = [], 0
    for seed in range(years):
        told = list(facts(kind, Random(seed)))
        plain, learned = (lived(kind, told, seed, learn=learn) for learn in (False, True))
        needs += plain[0]
        pairs.append([100 * lost / max(1, all_) for all_, lost in (plain, learned)])
    differences = [learned - plain for plain, learned in pairs]
    margin = 1.96 * statistics.stdev(differences) / len(pairs) ** 0.5
    mean = statistics.mean(differences)
    return {
        "user": kind.name,
        "needs per year": round(needs / years),
        "removed before, without": f"{statistics.mean(p for p, _ in pairs):.1f}%",
        "with": f"{statistics.mean(q for _, q in pairs):.1f}%",
        "difference (95% interval)": f"{mean:+.1f} ({mean - margin:+.1f} to {mean + margin:+.1f})",
    }


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=int, default=24, help="simulated years of each kind")
    years = parser.parse_args().years
    rows = [compared(kind, years) for kind in KINDS]
    print(harness.table(rows))


if __name__ == "__main__":
    main()
