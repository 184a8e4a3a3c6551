"""The local assessor's exam: does it find the turns of a conversation that are worth remembering?

`python -m benchmarks.worth_remembering --data FILE` reads LoCoMo's conversations, whose
`observation` lists cite the turns that carry something, and prints the area under the ROC curve of
our importance beside that of the turn's length. Page not found is ever trained on.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assessor.local import judge
from memory.embeddings.minilm import MiniLMEmbedder

# An observation cites "D3:7"; a few cite several turns at once.
_TURN_ID = re.compile(r"D\d+:\d+")


@dataclass(frozen=True)
class Turn:
    """One turn: what was said, what was answered, and whether an observation cites it."""

    text: str
    reply: str
    cited: bool


def area_under_curve(scores: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Return the probability that a cited turn scores above another, ties counted half."""
    values, cited = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positives, negatives = int(cited.sum()), int((~cited).sum())
    above = ranks[cited].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))


def read_turns(sample: dict[str, Any]) -> list[Turn]:
    """Return a conversation's turns in order; the reply is the next turn of the same session."""
    lists = [said for session in sample["observation"].values() for said in session.values()]
    references = [str(reference) for said in lists for _, reference in said]
    cited = {turn for reference in references for turn in _TURN_ID.findall(reference)}
    sessions = [part for part in sample["conversation"].values() if isinstance(part, list)]
    return [
        Turn(_words(turn), _words(following) if following else "", turn["dia_id"] in cited)
        for session in sessions
        for turn, following in zip(session, [*session[1:], None], strict=True)
    ]


def _words(turn: dict[str, str]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [image: {caption}]" if caption else turn["text"]


class TimedEmbedder:
    """Passes texts on to MiniLM and adds up the processor's seconds that this takes."""

    def __init__(self, embedder: MiniLMEmbedder) -> None:
        self._embedder = embedder
        self.seconds = 0.0

    def embed(self, texts: Any) -> npt.NDArray[np.float32]:
        start = time.process_time()
        vectors = self._embedder.embed(texts)
        self.seconds += time.process_time() - start
        return vectors


def main() -> None:
    """Print one line for each conversation, one for all, and the speed."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(tempfile.gettempdir(), "ebb-train")
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo's JSON file")
    parser.add_argument("--cache-dir", type=Path, default=default, help="where MiniLM's graph is")
    arguments = parser.parse_args()
    timed = TimedEmbedder(MiniLMEmbedder(cache_dir=arguments.cache_dir))
    samples = json.loads(arguments.data.read_text("utf-8"))
    start = time.process_time()
    every: list[tuple[float, int, bool]] = []
    sys.stdout.write(f"{'conversation':<14}{'turns':>7}{'cited':>7}{'ours':>8}{'length':>8}\n")
    for sample in samples:
        rows = [
            (judge(t.text, t.reply, embed=timed.embed).importance, len(t.text), t.cited)
            for t in read_turns(sample)
        ]
        sys.stdout.write(_line(sample["sample_id"], rows))
        every += rows
    sys.stdout.write(_line("all", every))
    judging = time.process_time() - start - timed.seconds
    sys.stdout.write(f"{len(every) / judging:.0f} exchanges/s of one core besides the embedding\n")
    sys.stdout.write(
        f"{len(every) / (judging + timed.seconds):.0f} exchanges/s of one core with it\n"
    )


def _line(name: str, rows: list[tuple[float, int, bool]]) -> str:
    importance, length, cited = zip(*rows, strict=True)
    ours, baseline = area_under_curve(importance, cited), area_under_curve(length, cited)
    return f"{name:<14}{len(rows):>7}{np.mean(cited):>7.0%}{ours:>8.3f}{baseline:>8.3f}\n"


if __name__ == "__main__":
    main()
