"""Rows that belong to one user of a space, or to all of them."""

from __future__ import annotations

from typing import Any, Self, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from foundation.readers import Reader, validate_name, validate_user
from foundation.texts.names import MAX_NAME

M = TypeVar("M", bound=models.Model)


class PersonalQuerySet(models.QuerySet[M]):
    """Queries on rows with a `user_id`."""

    def readable_by(self, reader: Reader) -> Self:
        """Return the rows that this reader sees."""
        return self.filter(reader.where())

    def of_users(self) -> Self:
        """Return the rows that belong to a user, not to all."""
        return self.filter(user_id__isnull=False)


def user_field(**options: Any) -> models.CharField[Any, Any]:
    """Return the column for the user whom a row belongs to; null for a shared row."""
    return models.CharField(
        _("user ID"),
        max_length=MAX_NAME,
        null=True,
        blank=True,
        validators=[validate_user],
        **options,
    )


def name_field(label: Any) -> models.CharField[Any, Any]:
    """Return a column for one of the caller's own names, such as an agent's."""
    return models.CharField(
        label, max_length=MAX_NAME, null=True, blank=True, validators=[validate_name]
    )


class Attributed(models.Model):
    """A row with its user, and with the caller's own names and values, which Ebb only stores, shows
    and filters by."""

    user_id = user_field()
    agent_id = name_field(_("agent ID"))
    session_id = name_field(_("session ID"))
    external_id = name_field(_("external ID"))
    metadata = models.JSONField(_("metadata"), default=dict, blank=True, db_default={})

    class Meta:
        abstract = True
