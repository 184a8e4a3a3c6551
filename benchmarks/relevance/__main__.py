"""Trains the matrix that turns remarks, and writes remarks.npz: `python -m benchmarks.relevance`.

Run it again whenever a signal of the ranking changes.
"""

from benchmarks import harness
from benchmarks.relevance import remarks
from benchmarks.relevance.examples import examples


def main() -> None:
    """Train the matrix from the English examples."""
    from django.utils import timezone

    english = next(one for one in examples(held_out=False) if one.language == "en")
    remarks.save(remarks.fit(remarks.remarks_of(english, timezone.now())))


if __name__ == "__main__":
    with harness.own_ebb():
        main()
