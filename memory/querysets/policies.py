"""The rules that hold in a space."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from django.apps import apps

from memory.policy import PolicyDocument
from memory.querysets.prepared import fetch

if TYPE_CHECKING:
    from memory.models import Space

_NEWEST = """
    SELECT version, document::text FROM memory_policyversion
    WHERE space_id = $1 ORDER BY version DESC LIMIT 1
"""


@dataclass(frozen=True)
class Policy:
    """A policy document with the version it stands for."""

    version: int
    document: PolicyDocument


@dataclass(frozen=True)
class Version:
    """A policy, who made it and when, and the document it came after (None for the first)."""

    policy: Policy
    created_at: datetime
    actor_type: str
    actor_name: str
    before: PolicyDocument | None


def current_policy(space: Space) -> Policy:
    """The newest version of the space's policy."""
    [(version, document)] = fetch(_NEWEST, [space.pk])
    return Policy(version, _parsed(document))


def policy_version(space: Space, version: int) -> Policy | None:
    """One version of the space's policy, or None."""
    rows = apps.get_model("memory", "PolicyVersion").objects.filter(space_id=space.pk)
    document = rows.filter(version=version).values_list("document", flat=True).first()
    return None if document is None else Policy(version, PolicyDocument.model_validate(document))


def policy_versions(space: Space, *, below: int | None = None, limit: int) -> list[Version]:
    """The newest versions first, those below a number if one is given."""
    rows = apps.get_model("memory", "PolicyVersion").objects.filter(space_id=space.pk)
    if below is not None:
        rows = rows.filter(version__lt=below)
    # One more than asked for: it is what the last one came after.
    found = list(rows.order_by("-version")[: limit + 1])
    documents = [PolicyDocument.model_validate(row.document) for row in found]
    return [
        Version(
            Policy(row.version, document), row.created_at, row.actor_type, row.actor_name, before
        )
        for row, document, before in zip(found, documents, [*documents[1:], None], strict=True)
    ][:limit]


@lru_cache(maxsize=256)
def _parsed(document: str) -> PolicyDocument:
    # Documents are frozen, and most spaces have the same one.
    return PolicyDocument.model_validate_json(document)
