"""Who did something: it stands in the history beside what was done."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Actor:
    """A person, a key, the assessor, or Ebb itself (sweeps)."""

    type: Literal["user", "key", "assessor", "assistant", "system"]
    name: str


SYSTEM = Actor("system", "ebb")
