"""The types, statuses and bin reasons of memories."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class MemoryType(models.TextChoices):
    """The taxonomy of seed 002, in its order."""

    IDENTITY = "identity", _("identity")
    GOAL = "goal", _("goal")
    DECISION = "decision", _("decision")
    TODO = "todo", _("todo")
    PREFERENCE = "preference", _("preference")
    FACT = "fact", _("fact")
    EVENT = "event", _("event")
    OBSERVATION = "observation", _("observation")


class Status(models.TextChoices):
    """A memory's status: live ones are recalled, binned ones can be restored."""

    LIVE = "live", pgettext_lazy("memory", "active")
    REVIEW = "review", _("waiting for review")
    BINNED = "binned", _("in the bin")


class BinReason(models.TextChoices):
    """The reason why a memory is in the bin."""

    EXPIRED = "expired", _("expired")
    OVER_CAPACITY = "over_capacity", _("over capacity")
    DELETED = "deleted", _("deleted")
    SUPERSEDED = "superseded", _("superseded")
    REJECTED = "rejected", _("rejected")
    CONSOLIDATED = "consolidated", _("consolidated")
