"""Who did something, and in which action: the history says so beside what was done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID, uuid4


@dataclass(frozen=True)
class Actor:
    """A person, a key, the assessor, or Ebb itself (sweeps)."""

    type: Literal["user", "key", "assessor", "assistant", "system"]
    name: str
    action_id: UUID | None = None
    """The action that has begun: all its events and revisions have this id."""

    def in_action(self) -> Actor:
        """Return this actor in the action that has begun, or in a new one.

        A service that writes several things begins one, and hands on who acts in it.
        """
        return self if self.action_id else replace(self, action_id=uuid4())


SYSTEM = Actor("system", "ebb")
