"""The types of actors that history and audit name, with their labels."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class ActorType(models.TextChoices):
    """The types of foundation.actors.Actor."""

    USER = "user", _("user")
    KEY = "key", _("API key")
    ASSESSOR = "assessor", _("assessor")
    ASSISTANT = "assistant", _("assistant")
    SYSTEM = "system", "Ebb"
