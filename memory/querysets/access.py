"""Which spaces a person or a key may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    from memory.models import Space, User  # noqa: F401 - named in the base class


class SpaceQuerySet(models.QuerySet["Space"]):
    """Reads on spaces."""

    def of_member(self, user: User | Any) -> SpaceQuerySet:
        """The spaces this user belongs to; none for somebody who is not logged in."""
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user=user)
