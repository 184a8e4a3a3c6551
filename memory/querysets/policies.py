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
    versions = space.policy_versions.order_by("-version")
    version, document = versions.values_list("version", "document")[0]
    return Policy(version, PolicyDocument.model_validate(document))
