"""Trains the recognition of requests that hand over a text (assessor/gate/handing.py):
`python -m benchmarks.programs.handing`.

It learns from `examples/handing_*.txt`, from the messages of tests/assessor/gate/pasted.jsonl
that are marked as tuned, and from ordinary messages. All were written for this project.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks import harness

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MESSAGES = ROOT / "tests/assessor/gate"
FREEDOM = 10.0
TRAINED = {"tuned", "first", "second", "third", "fourth"}


def main() -> None:
    """Train from the command line."""
    parser = argparse.ArgumentParser(description="Training of requests that hand over a text")
    parser.add_argument("--chat", type=Path, action="append", default=[], help="conversations")
    chats: list[Path] = parser.parse_args().chat
    with harness.own_ebb():
        train(chats)


def train(chats: list[Path]) -> None:
    """Fit the weights, write them, and print how many people's messages would go to review."""
    from assessor.gate import handing
    from benchmarks.suspicion.training import said_by_people

    asks, tells = list(dict.fromkeys(_asks())), list(dict.fromkeys(_tells()))
    model = LogisticRegression(C=FREEDOM, max_iter=3000, class_weight="balanced")
    model.fit(handing.vectors([*asks, *tells]), [True] * len(asks) + [False] * len(tells))
    weights = np.append(model.coef_[0], model.intercept_).astype(np.float32)
    np.savez(
        Path(handing.__file__).parent / handing.WEIGHTS_FILE, allow_pickle=False, weights=weights
    )
    handing.load_weights.cache_clear()
    print(f"{len(asks)} requests, {len(tells)} other clauses")
    for chat in chats:
        texts = [one.text for one in said_by_people(chat)]
        held = sum(bool(handing.not_surely_own(text)) for text in texts)
        print(f"{chat.name}: {held} of {len(texts)} messages of people are held")


def _asks() -> Iterator[str]:
    from assessor.gate.handing import candidates

    yield from _lines(HERE / "examples/handing_asks.txt")
    for line in _messages("pasted.jsonl"):
        if line["shown"] and line["split"] in TRAINED:
            found = [clause for clause, shown in candidates(line["text"]) if line["shown"] in shown]
            yield from found[:1]


def _tells() -> Iterator[str]:
    from assessor.gate.handing import candidates
    from assessor.gate.own_words import handed_over
    from reader.training.examples import rows

    yield from _lines(HERE / "examples/handing_tells.txt")
    texts = [one["text"] for one in _messages("pasted.jsonl") if _is_tell(one)]
    texts += [one["text"] for one in _messages("people.jsonl")]
    texts += [row["text"] for row in rows("importance")]
    for path in sorted((ROOT / "tests/assessor/screening/training").glob("*people.txt")):
        texts += _lines(path)
    for path in sorted((ROOT / "benchmarks/relevance/examples").glob("nothing_*[enzh].txt")):
        texts += [line for line in _lines(path) if not line.startswith("#")]
    for text in texts:
        if not handed_over(text):
            yield from (clause for clause, _ in candidates(text))


def _is_tell(message: dict[str, Any]) -> bool:
    return not message["shown"] and message["split"] in TRAINED


def _messages(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _lines(MESSAGES / name)]


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
