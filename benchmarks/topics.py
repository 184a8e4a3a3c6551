"""Measures the detection of topic changes: `python -m benchmarks.topics --data FILE`.

Pieces of LoCoMo's conversations, three to eight exchanges long and each from another conversation
than the one before, are joined; the joints are the borders to find. Prints precision and recall at
the threshold that spans use, and at its neighbours. People change the topic inside a piece, too,
which counts as an error here: precision is a lower bound.
"""

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import harness
from benchmarks.locomo_data import conversations
from memory.embeddings.minilm import MiniLMEmbedder

PIECES = 400
LENGTHS = (3, 8)
# Around spans.SAME_TOPIC, which needs Django's settings to be imported.
THRESHOLDS = (0.2, 0.25, 0.29, 0.35, 0.4)


def exchanges(path: Path) -> list[list[str]]:
    """Return each conversation's exchanges: a turn and the turn that answers it."""
    return [
        [
            f"{said.content}\n{reply.content}"
            for said, reply in zip(talk.turns[::2], talk.turns[1::2], strict=False)
        ]
        for talk in conversations(path)
    ]


def joined(talks: Sequence[Sequence[str]], chance: random.Random) -> tuple[list[str], list[bool]]:
    """Return the exchanges of many pieces in a row, and for each whether a border precedes it."""
    texts: list[str] = []
    borders: list[bool] = []
    last = -1
    for _ in range(PIECES):
        last = chance.choice([number for number in range(len(talks)) if number != last])
        length = chance.randint(*LENGTHS)
        start = chance.randrange(len(talks[last]) - length + 1)
        texts += talks[last][start : start + length]
        borders += [True] + [False] * (length - 1)
    return texts, borders


def report(vectors: npt.NDArray[np.float32], borders: Sequence[bool]) -> list[harness.Row]:
    """Return precision and recall of "less similar to the exchange before than the threshold"."""
    similarity = (vectors[1:] * vectors[:-1]).sum(axis=1)
    true = np.array(borders[1:])
    rows: list[harness.Row] = []
    for threshold in THRESHOLDS:
        found = similarity < threshold
        hits = int((found & true).sum())
        precision, recall = hits / max(1, int(found.sum())), hits / int(true.sum())
        rows.append(
            {
                "similarity below": threshold,
                "precision": round(precision, 3),
                "recall": round(recall, 3),
                "F1": round(2 * precision * recall / (precision + recall), 3),
            }
        )
    return rows


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Precision and recall of changes of topic")
    parser.add_argument("--data", type=Path, required=True)
    default = Path(tempfile.gettempdir(), "ebb-topics")
    parser.add_argument("--cache-dir", type=Path, default=default, help="where MiniLM's graph is")
    options = parser.parse_args()
    texts, borders = joined(exchanges(options.data), random.Random(1))
    embedder = MiniLMEmbedder(cache_dir=options.cache_dir)
    print(f"{sum(borders) - 1} borders between {len(texts)} exchanges\n")
    print(harness.table(report(embedder.embed(texts), borders)))


if __name__ == "__main__":
    main()
