"""Measures how well recall answers after a change: `python -m benchmarks.changes`.

Each person in english.txt and chinese.txt says ten things in January 2025 and tells ten changes in
June. In November, two questions ask about each change: about now and about then. The built-in rule
and embedder are used.

    ended   the old statement was superseded, or the new one was added to it in brackets
    now     the first result of the question about now says the new statement
    then    the first result of the question about then says the old statement

The texts were written for this project. Targets: 95% of the questions about now, 85% of the
questions about then.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import harness

FOLDER = Path(__file__).parent
LANGUAGES = {"english": "en", "chinese": "zh"}
SAID = datetime(2025, 1, 15, 9, 0, tzinfo=UTC)
CHANGED = datetime(2025, 6, 15, 9, 0, tzinfo=UTC)
ASKED = datetime(2025, 11, 15, 9, 0, tzinfo=UTC)


class Change(NamedTuple):
    """A fact that changed: its old and its new wording, and a question about each."""

    old: str
    new: str
    now: str
    then: str


class Outcome(NamedTuple):
    """A change, and three results: it was noticed, and each question got the right answer."""

    change: Change
    ended: bool
    now: bool
    then: bool


def people(name: str) -> list[list[Change]]:
    """Return the changes of each person of a file."""
    text = (FOLDER / f"{name}.txt").read_text("utf-8").partition("\n")[2]
    return [
        [Change(*line.split(" | ")) for line in paragraph.splitlines()]
        for paragraph in text.strip().split("\n\n")
    ]


def outcomes(space: Any, user_id: str, changes: Sequence[Change]) -> Iterator[Outcome]:
    """Say a person's statements, then ask the questions; yield the outcome of each change."""
    from memory.models import Memory

    for number, change in enumerate(changes):
        _say(space, user_id, change.old, SAID + timedelta(minutes=number))
    for number, change in enumerate(changes):
        _say(space, user_id, change.new, CHANGED + timedelta(minutes=number))
    live = Memory.objects.in_space(space).live().filter(user_id=user_id)
    for change in changes:
        yield Outcome(
            change,
            not live.filter(content=change.old).exists(),
            change.new in _first(space, user_id, change.now),
            change.old in _first(space, user_id, change.then),
        )


def _say(space: Any, user_id: str, text: str, now: datetime) -> None:
    from foundation.actors import SYSTEM
    from memory.drafts import MemoryAsked
    from memory.reconciliation.services import remember_drafts

    draft = MemoryAsked(content=text, user_id=user_id, on_duplicate="reinforce")
    remember_drafts(space=space, drafts=[draft], actor=SYSTEM, now=now)


def _first(space: Any, user_id: str, question: str) -> str:
    from foundation.readers import Reader
    from memory.recall.recall import SearchRequest, recall

    request = SearchRequest(question, limit=1, reader=Reader(user_id))
    return recall(space, request, now=ASKED).results[0].memory.content


def measure() -> None:
    """Print the shares of both languages and save them with the changes that were missed."""
    from foundation.actors import SYSTEM
    from memory.embeddings.embedders import configured_embedder
    from memory.spaces.services import create_space

    report = harness.Report("changes")
    rows: list[dict[str, str]] = []
    missed: list[dict[str, Any]] = []
    for name, language in LANGUAGES.items():
        space = create_space(
            slug=name, name=name, embedder=configured_embedder(), actor=SYSTEM, language=language
        )
        found = [
            outcome
            for number, changes in enumerate(people(name))
            for outcome in outcomes(space, f"person-{number}", changes)
        ]
        rows.append(_row(name, found))
        missed.extend(one._asdict() for one in found if not (one.ended and one.now and one.then))
    report.add("Changes", rows)
    report.save(missed=missed)


def _row(name: str, found: Sequence[Outcome]) -> dict[str, str]:
    shares = {
        what: sum(getattr(one, what) for one in found) / len(found)
        for what in ("ended", "now", "then")
    }
    return {"language": name, "n": str(len(found))} | {
        what: f"{share:.1%}" for what, share in shares.items()
    }


if __name__ == "__main__":
    with harness.own_ebb():
        measure()
