"""The rules that hold in a space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.policy import PolicyDocument

if TYPE_CHECKING:
    from memory.models import Space


@dataclass(frozen=True)
class Policy:
    """A policy document with the version it stands for."""

    version: int
    document: PolicyDocument


def current_policy(space: Space) -> Policy:
    """The newest version of the space's policy."""
    row = space.policy_versions.order_by("-version").only("version", "document")[0]
    return Policy(row.version, PolicyDocument.model_validate(row.document))
