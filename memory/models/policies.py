"""Policies of a space, in all their versions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.actor_types import ActorType
from accounts.models.space_rows import SpaceRow
from foundation.database.sql import fetch
from memory.policy import PolicyDocument, stored_document


class PolicyVersion(SpaceRow):
    """One version of a space's policy; the one with the highest number is in effect."""

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="policy_versions", verbose_name=_("space")
    )
    version = models.PositiveIntegerField(_("version"))
    document = models.JSONField(_("document"))
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    actor_type = models.CharField(_("actor type"), max_length=10, choices=ActorType)
    actor_name = models.CharField(_("actor"), max_length=150, blank=True)

    class Meta:
        verbose_name = _("policy version")
        verbose_name_plural = _("policy versions")
        constraints = [
            models.UniqueConstraint(fields=["space", "version"], name="policy_once_per_version")
        ]

    def __str__(self) -> str:
        return f"v{self.version}"


_NEWEST = """
    SELECT version, document::text FROM memory_policyversion
    WHERE space_id = %(space)s ORDER BY version DESC LIMIT 1
"""


@dataclass(frozen=True)
class Policy:
    """A policy document with its version number."""

    version: int
    document: PolicyDocument


@dataclass(frozen=True)
class Version:
    """A policy with its author and time, and the document before it (None for the first)."""

    policy: Policy
    created_at: datetime
    actor_type: str
    actor_name: str
    before: PolicyDocument | None


def current_policy(space: Space) -> Policy:
    """Return the newest version of the space's policy."""
    [(version, document)] = fetch(_NEWEST, {"space": space.pk})
    return Policy(version, _parsed(document))


def policy_values(space: Space, version: int) -> dict[str, Any]:
    """Return a version as it is stored, with fields that only a newer Ebb knows."""
    rows = PolicyVersion.objects.filter(space_id=space.pk, version=version)
    stored: dict[str, Any] = rows.values_list("document", flat=True).get()
    return stored


def policy_version(space: Space, version: int) -> Policy | None:
    """Return one version of the space's policy, or None."""
    rows = PolicyVersion.objects.filter(space_id=space.pk)
    document = rows.filter(version=version).values_list("document", flat=True).first()
    return None if document is None else Policy(version, stored_document(document))


def policy_versions(space: Space, *, below: int | None = None, limit: int) -> list[Version]:
    """Return the newest versions first; with `below`, only versions before that number."""
    rows = PolicyVersion.objects.filter(space_id=space.pk)
    if below is not None:
        rows = rows.filter(version__lt=below)
    # One extra row, as the predecessor of the last version.
    found = list(rows.order_by("-version")[: limit + 1])
    documents = [stored_document(row.document) for row in found]
    return [
        Version(
            Policy(row.version, document), row.created_at, row.actor_type, row.actor_name, before
        )
        for row, document, before in zip(found, documents, [*documents[1:], None], strict=True)
    ][:limit]


@lru_cache(maxsize=256)
def _parsed(document: str) -> PolicyDocument:
    # Documents are frozen, and most spaces have the same one.
    return stored_document(document)
