"""The time zones of people and of their statements."""

from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foundation.moments import MAX_ZONE, in_zone, stored_zone, zone_called, zone_name


def validate_zone(name: str) -> None:
    """Validate a column with the name of a zone; raises Django's ValidationError."""
    try:
        zone_called(name)
    except ValueError as error:
        raise ValidationError(str(error)) from None


def zone_field() -> "models.CharField[Any, Any]":
    """Return a column with the name of a zone, as foundation.moments writes it; "" if unknown."""
    return models.CharField(
        _("time zone"),
        max_length=MAX_ZONE,
        blank=True,
        default="",
        db_default="",
        validators=[validate_zone],
    )


class Spoken(models.Model):
    """A row with the time of a statement."""

    created_at = models.DateTimeField(_("created"), default=timezone.now)
    time_zone = zone_field()  # of the speaker

    class Meta:
        abstract = True

    @property
    def said_at(self) -> datetime:
        """The time of the statement, in the speaker's zone."""
        return in_zone(self.created_at, stored_zone(self.time_zone))


def spoken_columns(moment: datetime) -> dict[str, Any]:
    """Return the columns of `Spoken` for a statement at this moment, in its speaker's zone."""
    return {"created_at": moment.astimezone(UTC), "time_zone": zone_name(moment)}
