"""Trains the reader on its examples and writes its weights: `python -m reader.training [TASK …]`.

A task is `statement`, `answer` or `language`; without one, all are trained. Needs torch
(`reader/training/requirements.txt`). The same examples give the same weights on as many cores.
"""

import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from reader.training import answer, language, statement

FOLDER = Path(__file__).parents[1] / "weights"
TASKS = {"statement": statement.main, "answer": answer.main, "language": language.main}


def main(names: list[str]) -> None:
    """Train these tasks, and write their weights as 16-bit floats."""
    for name in names or TASKS:
        weights = {
            key: np.ascontiguousarray(value.numpy().astype(np.float16))
            for key, value in TASKS[name]().state_dict().items()
        }
        file = FOLDER / f"{name}.safetensors"
        save_file(weights, file)
        file.chmod(0o644)


if __name__ == "__main__":
    main(sys.argv[1:])
