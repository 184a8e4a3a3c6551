"""The actor of a change and the action it belongs to, as the history records them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID, uuid4


@dataclass(frozen=True)
class Actor:
    """A user, a key, the assessor, an assistant, or Ebb itself (sweeps)."""

    type: Literal["user", "key", "assessor", "assistant", "system"]
    name: str
    action_id: UUID | None = None
    """The current action: all its events and revisions have this id."""

    def in_action(self) -> Actor:
        """Return this actor in the current action, or in a new one.

        A service that writes several rows begins an action and passes this actor on.
        """
        return self if self.action_id else replace(self, action_id=uuid4())


SYSTEM = Actor("system", "ebb")
