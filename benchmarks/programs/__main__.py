"""Trains the gate's classifier: `python -m benchmarks.programs --corpora DIR --repositories DIR`.

The folder of repositories has a clone of each that repositories.toml names, as `owner+name`. Writes
likeness.npz beside assessor/gate/likeness.py, and prints how many prompts of other repositories
teach nothing, and with `--chat FILE` how many messages of people are lost.
"""

import argparse
from pathlib import Path

from benchmarks import harness


def main() -> None:
    """Train the classifier from the command line."""
    parser = argparse.ArgumentParser(description="Training of the gate's classifier")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of others' corpora")
    parser.add_argument("--repositories", type=Path, required=True, help="folder of clones")
    parser.add_argument("--chat", type=Path, action="append", default=[], help="conversations")
    options = parser.parse_args()
    with harness.own_ebb():
        # The assessor needs Django's settings to be imported.
        from benchmarks.programs.training import train

        train(options.corpora, options.repositories, options.chat)


if __name__ == "__main__":
    main()
