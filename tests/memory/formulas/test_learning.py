"""The simulated year of benchmarks.learning: what is needed stays where answers use it."""

from random import Random

import pytest

from benchmarks.learning import CAPACITY, KINDS, Fact, Kind, facts, lived

ONLY_NEEDED = Kind(name="clear", overlooked=0.0, mistaken=0.0, needs=0.03)


def removed(kind: Kind, *, learn: bool, years: int = 3) -> int:
    """The needs of some years whose memory had been removed."""
    return sum(
        lived(kind, list(facts(kind, Random(seed))), seed, learn=learn)[1] for seed in range(years)
    )


def test_a_memory_that_answers_use_is_removed_less_often() -> None:
    assert 0 < removed(ONLY_NEEDED, learn=True) < removed(ONLY_NEEDED, learn=False)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_year_is_the_same_on_every_run(kind: Kind) -> None:
    told = list(facts(kind, Random(1)))
    assert told == list(facts(kind, Random(1)))
    assert lived(kind, told[:200], 1, learn=True) == lived(kind, told[:200], 1, learn=True)


def test_nothing_is_lost_while_there_is_room() -> None:
    told = [Fact(day, 0.1, frozenset({364})) for day in range(CAPACITY)]
    assert lived(KINDS[0], told, 1, learn=False) == (CAPACITY, 0)
