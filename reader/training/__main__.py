"""Trains the reader on its examples and writes its weights: `python -m reader.training`.

Needs torch (`reader/training/requirements.txt`). The same examples give the same weights on as
many cores.
"""

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from reader.training import statement

FOLDER = Path(__file__).parents[1] / "weights"


def main() -> None:
    """Train each task, and write its weights as 16-bit floats."""
    network = statement.main()
    weights = {
        name: np.ascontiguousarray(value.numpy().astype(np.float16))
        for name, value in network.state_dict().items()
    }
    save_file(weights, FOLDER / "statement.safetensors")


if __name__ == "__main__":
    main()
