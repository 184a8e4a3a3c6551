"""The groups of benchmarks/sets/consolidation.txt and consolidation_later.txt, and the results of
proposals for them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

SETS = Path(__file__).parent / "sets"
FIRST, LATER = SETS / "consolidation.txt", SETS / "consolidation_later.txt"


@dataclass(frozen=True)
class Group:
    """A group of memories: they say the same (`same`), only resemble each other (`near`), or the
    second ends the first (`against`)."""

    kind: str
    texts: tuple[str, ...]

    @property
    def language(self) -> str:
        """The language of the group's texts, as the report names it."""
        return "English" if self.texts[0].isascii() else "Chinese"


@dataclass(frozen=True)
class Proposed:
    """A proposal by the texts of its memories: those that move to the bin, and all."""

    kind: str
    removed: frozenset[str]
    texts: tuple[str, ...]


def groups(path: Path = FIRST) -> list[Group]:
    """Return all groups, in the order of the file."""
    lines = [one for one in path.read_text("utf-8").splitlines() if not one.startswith("#")]
    parts = [line.partition(": ") for line in lines]
    return [Group(kind, tuple(texts.split(" | "))) for kind, _colon, texts in parts]


def counted(found: Collection[Group], proposals: Sequence[Proposed]) -> Mapping[str, Any]:
    """Return a row of the report: groups merged whole, wrong pairs among the merged ones,
    contradictions found, and memories that another contradiction would remove."""
    same = [one for one in found if one.kind == "same"]
    against = [one for one in found if one.kind == "against"]
    ours = {text for one in found for text in one.texts}
    merges = [one for one in proposals if one.kind == "merge" and set(one.texts) & ours]
    ends = [one for one in proposals if one.kind == "contradiction" and one.removed & ours]
    right = {frozenset(pair) for one in same for pair in combinations(one.texts, 2)}
    made = [frozenset(pair) for one in merges for pair in combinations(one.texts, 2)]
    whole = {frozenset(one.texts) for one in merges}
    pairs = {(frozenset({one.texts[0]}), one.texts[1]) for one in against}
    ended = {(one.removed, one.texts[-1]) for one in ends}
    return {
        "same facts": len(same),
        "merged whole": sum(frozenset(one.texts) in whole for one in same),
        "pairs merged": f"{sum(pair in right for pair in made)} of {len(right)}",
        "wrong pairs": sum(pair not in right for pair in made),
        "contradictions": len(against),
        "found": len(pairs & ended),
        "wrong contradictions": len(ended - pairs),
    }


def missed(found: Collection[Group], proposals: Sequence[Proposed]) -> list[str]:
    """Return a line for each group that is not merged whole or whose contradiction is missing, and
    for each proposal that no group asks for."""
    merges = {frozenset(one.texts) for one in proposals if one.kind == "merge"}
    ends = {(one.removed, one.texts[-1]) for one in proposals if one.kind == "contradiction"}
    same = {frozenset(one.texts) for one in found if one.kind == "same"}
    pairs = {(frozenset({g.texts[0]}), g.texts[1]) for g in found if g.kind == "against"}
    lines = [f"not merged: {' | '.join(sorted(one))}" for one in same - merges]
    for one in merges - same:
        verdict = "merged in part" if any(one < group for group in same) else "wrongly merged"
        lines.append(f"{verdict}: {' | '.join(sorted(one))}")
    lines += [f"not found: {' | '.join(old)} → {new}" for old, new in pairs - ends]
    lines += [f"wrongly ended: {' | '.join(old)} → {new}" for old, new in ends - pairs]
    return sorted(lines)
