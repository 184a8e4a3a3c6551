"""Trains the classifier beside the screening rules: `python -m benchmarks.suspicion --corpora DIR`.

Writes suspicion.npz beside assessor/screening/suspicion.py, and prints how much it finds by
cross-validation, on corpora that it did not learn from, and with `--chat FILE` how often it sends
innocent messages of people to review. The same texts give the same file.
"""

import argparse
from pathlib import Path

from benchmarks import harness


def main() -> None:
    """Train the classifier from the command line."""
    parser = argparse.ArgumentParser(description="Training of the screening's classifier")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of others' corpora")
    parser.add_argument("--chat", type=Path, action="append", default=[], help="conversations")
    options = parser.parse_args()
    with harness.own_ebb():
        # The screening needs Django's settings to be imported.
        from benchmarks.suspicion.training import train

        train(options.corpora, options.chat)


if __name__ == "__main__":
    main()
