"""Counts prompts of other programs that teach: `python -m benchmarks.programs --repositories DIR`.

The folder has a clone of each repository that repositories.toml names, as `owner+name`.
"""

import argparse
from pathlib import Path

from benchmarks import harness


def main() -> None:
    """Measure from the command line."""
    parser = argparse.ArgumentParser(description="Prompts of programs that teach")
    parser.add_argument("--repositories", type=Path, required=True, help="folder of clones")
    options = parser.parse_args()
    with harness.own_ebb():
        # The assessor needs Django's settings to be imported.
        from benchmarks.programs.measuring import measure

        measure(options.repositories)


if __name__ == "__main__":
    main()
