"""The exam of the built-in assessor: does it find the turns that are worth remembering?

`python -m benchmarks.worth_remembering --data FILE` reads conversations in LoCoMo's format and
prints the area under the ROC curve (AUC) of the importance, with 95% intervals, beside that of the
turn's length. Two lists name the turns worth remembering: the evidence of the file's questions, and
its observations. The file's text is never trained on.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assessor.local import assess
from memory.policy import PolicyDocument

# An entry names "D3:7"; a few name several turns at once, some as "D30:05".
_TURN_ID = re.compile(r"D(\d+):(\d+)")
RESAMPLES = 200
BANDS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.1)
STORE_ABOVE = PolicyDocument().assessment.store_above
EARLIER = 20


@dataclass(frozen=True)
class Turn:
    """One turn with the turns around it, and whether the questions and the observations need it."""

    text: str
    reply: str
    earlier: Sequence[str]
    asked: bool
    observed: bool


@dataclass(frozen=True)
class Row:
    """A turn's importance and length, and the two labels."""

    importance: float
    length: int
    asked: bool
    observed: bool


def area_under_curve(scores: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the probability that a cited turn scores above another, ties counted half."""
    values, cited = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positives, negatives = int(cited.sum()), int((~cited).sum())
    above = ranks[cited].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))


def interval(scores: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[float, float]:
    """Return the 95% interval of the area under the curve, by resampling the turns."""
    values, cited = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    generator = np.random.default_rng(0)
    drawn = generator.integers(0, len(values), (RESAMPLES, len(values)))
    areas = [area_under_curve(values[rows], cited[rows]) for rows in drawn]
    low, high = np.percentile(areas, [2.5, 97.5])
    return float(low), float(high)


def read_turns(sample: dict[str, Any]) -> list[Turn]:
    """Return a conversation's turns in order; the reply is the next turn of the same session."""
    lists = [said for session in sample["observation"].values() for said in session.values()]
    observed = _named(str(reference) for said in lists for _, reference in said)
    asked = _named(" ".join(question["evidence"]) for question in sample["qa"])
    turns = []
    for session in sample["conversation"].values():
        texts = [_words(turn) for turn in session] if isinstance(session, list) else []
        for place, text in enumerate(texts):
            [name] = _named([session[place]["dia_id"]])
            reply = texts[place + 1] if place + 1 < len(texts) else ""
            earlier = texts[max(place - EARLIER, 0) : place]
            turns.append(Turn(text, reply, earlier, name in asked, name in observed))
    return turns


def _named(references: Iterable[str]) -> set[tuple[int, int]]:
    """Return the turns that the texts name, as numbers of session and turn."""
    found = _TURN_ID.findall(" ".join(references))
    return {(int(session), int(turn)) for session, turn in found}


def _words(turn: dict[str, str]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [image: {caption}]" if caption else turn["text"]


def main() -> None:
    """Print one line for each conversation, one for all, the calibration and the speed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo's JSON file")
    arguments = parser.parse_args()
    samples = json.loads(arguments.data.read_text("utf-8"))
    start = time.process_time()
    every: list[Row] = []
    for sample in samples:
        rows = [_assessed(turn) for turn in read_turns(sample)]
        sys.stdout.write(_line(sample["sample_id"], rows))
        every += rows
    assessing = time.process_time() - start
    sys.stdout.write(_line("all", every))
    asked, observed = [row.asked for row in every], [row.observed for row in every]
    agreement = area_under_curve(observed, asked)
    sys.stdout.write(
        f"one list as a grader of the other: {agreement:.3f}, kappa {kappa(observed, asked):.3f}\n"
        f"{_calibration(every)}\n{_confusion(every)}\n"
        f"{1000 * assessing / len(every):.1f} ms an exchange\n"
    )


def _assessed(turn: Turn) -> Row:
    result = assess(turn.text, turn.reply, earlier=turn.earlier)
    return Row(result.importance, len(turn.text), turn.asked, turn.observed)


def kappa(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Return Cohen's kappa: the agreement of two lists of labels beyond chance."""
    first, second = np.asarray(one, dtype=bool), np.asarray(other, dtype=bool)
    by_chance = first.mean() * second.mean() + (~first).mean() * (~second).mean()
    return float((np.mean(first == second) - by_chance) / (1 - by_chance))


def _calibration(rows: Sequence[Row]) -> str:
    """Return the share of cited turns in each band of importance."""
    lines = []
    for low, high in pairwise(BANDS):
        band = [row for row in rows if low <= row.importance < high]
        asked, observed = ([getattr(r, name) for r in band] for name in ("asked", "observed"))
        shares = f"asked {np.mean(asked):.0%}, observed {np.mean(observed):.0%}" if band else ""
        lines.append(f"importance {low:.1f} to {min(high, 1):.1f}: {len(band):>5} turns; {shares}")
    return "\n".join(lines)


def _confusion(rows: Sequence[Row]) -> str:
    """Return the confusion matrix of saving from the default policy's importance, by list."""
    lines = []
    for name in ("asked", "observed"):
        pairs = [(row.importance >= STORE_ABOVE, bool(getattr(row, name))) for row in rows]
        saved, wrong = pairs.count((True, True)), pairs.count((True, False))
        missed, left = pairs.count((False, True)), pairs.count((False, False))
        lines.append(f"{name}: saved {saved}, missed {missed}; saved others {wrong}, left {left}")
    return "\n".join(lines)


def _line(name: str, rows: list[Row]) -> str:
    """Return the figures of one conversation: for both lists ours, its interval, and the length."""
    ours, length = [row.importance for row in rows], [row.length for row in rows]
    parts = [f"{name:<10}{len(rows):>6} turns"]
    lists = (("asked", [r.asked for r in rows]), ("observed", [r.observed for r in rows]))
    for title, labels in lists:
        low, high = interval(ours, labels)
        parts.append(
            f"{title} {np.mean(labels):.0%}: {area_under_curve(ours, labels):.3f} "
            f"({low:.3f} to {high:.3f}), length {area_under_curve(length, labels):.3f}"
        )
    return "; ".join(parts) + "\n"


if __name__ == "__main__":
    main()
