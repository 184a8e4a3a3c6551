"""Reads on the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from memory.models import AuditEntry, Space  # noqa: F401 - named in the base class


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Each read begins with `in_space`."""

    def in_space(self, space: Space) -> AuditQuerySet:
        return self.filter(space_id=space.pk)
