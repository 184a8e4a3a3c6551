"""Which spaces a person may see, and the keys of a space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    from memory.models import ApiKey, Space, User  # noqa: F401 - named in the base classes


class SpaceQuerySet(models.QuerySet["Space"]):
    """Reads on spaces."""

    def of_member(self, user: User | Any) -> SpaceQuerySet:
        """The spaces this user belongs to; none for somebody who is not logged in."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user=user)


class ApiKeyQuerySet(models.QuerySet["ApiKey"]):
    """Reads on keys, but the hot one (querysets.keys)."""

    def in_space(self, space: Space) -> ApiKeyQuerySet:
        return self.filter(space_id=space.pk)
