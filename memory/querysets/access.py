"""Which spaces a person may see, and the keys of a space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    from memory.models import ApiKey, Space, User  # noqa: F401 - named in the base classes


class SpaceQuerySet(models.QuerySet["Space"]):
    """Reads on spaces."""

    def of_member(self, user: User | Any) -> SpaceQuerySet:
        """The spaces this user belongs to, but those that are being deleted; none for somebody who
        is not logged in."""
        if not user.is_authenticated:
            return self.none()
        return self.open().filter(memberships__user=user)

    def open(self) -> SpaceQuerySet:
        """All but those that are being deleted."""
        return self.filter(closed_at=None)

    def leaving(self, user: User | Any) -> SpaceQuerySet:
        """Those that are being deleted and that this user owned, the next to go first."""
        owned = self.filter(memberships__user=user, memberships__role="owner")
        return owned.exclude(closed_at=None).order_by("closed_at", "pk")


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Reads on keys, but the hot one (querysets.keys)."""

    def in_space(self, space: Space) -> ApiKeyQuerySet:
        return self.filter(space_id=space.pk)
