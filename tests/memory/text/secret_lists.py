"""Reads the lists of secrets and lookalikes, and fills in the random parts of keys."""

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent / "secrets"
_KINDS = {
    "A": string.ascii_letters + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
}


def lines(name: str) -> Iterator[str]:
    """Yield the texts of a list; ⏎ is a line break."""
    for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("# "):
            yield _filled(line).replace("⏎", "\n")


def secrets(name: str) -> Iterator[tuple[str, str]]:
    """Yield each text of a list of secrets, with the secret in it."""
    for line in lines(name):
        before, secret, after = re.split(r"\[\[|\]\]", line, maxsplit=2)
        yield before + secret + after, secret


def _filled(line: str) -> str:
    """Replace {A20} by 20 random characters, the same in each run."""
    rng = random.Random(line)

    def made(part: re.Match[str]) -> str:
        size = int(part[2])
        if part[1] == "A":  # each kind of character occurs, as in any real key of that length
            needed = [rng.choice(kind) for kind in ("abcdef", "GHJKLM", "23456")] * 4
            return "".join([*needed, *rng.choices(_KINDS["A"], k=size)])[:size]
        return "".join(rng.choices(_KINDS[part[1]], k=size))

    return re.sub(r"\{([AUhd])(\d+)\}", made, line)
