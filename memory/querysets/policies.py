"""The rules that hold in a space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from memory.policy import PolicyDocument
from memory.querysets.prepared import fetch

if TYPE_CHECKING:
    from memory.models import Space

_NEWEST = """
    SELECT version, document::text FROM memory_policyversion
    WHERE space_id = %s ORDER BY version DESC LIMIT 1
"""


@dataclass(frozen=True)
class Policy:
    """A policy document with the version it stands for."""

    version: int
    document: PolicyDocument


def current_policy(space: Space) -> Policy:
    """The newest version of the space's policy."""
    [(version, document)] = fetch(_NEWEST, [space.pk])
    return Policy(version, _parsed(document))


@lru_cache(maxsize=256)
def _parsed(document: str) -> PolicyDocument:
    # Documents are frozen, and most spaces have the same one.
    return PolicyDocument.model_validate_json(document)
