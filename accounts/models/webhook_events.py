"""The events of webhooks, which the audit log names, too."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class WebhookEvent(models.TextChoices):
    """The events that a webhook can receive."""

    CREATED = "memory.created", _("memory created")
    REVISED = "memory.revised", _("memory revised")
    SUPERSEDED = "memory.superseded", _("memory superseded")
    EXPIRED = "memory.expired", _("memory expired")
    EVICTED = "memory.evicted", _("memory evicted")
    DELETED = "memory.deleted", _("memory deleted")
    RESTORED = "memory.restored", _("memory restored")
    PURGED = "memory.purged", _("memory purged")
    HELD = "memory.held", _("memory sent to review")
    USER_ERASED = "user.erased", _("user erased")
    ASSESSMENT_FAILED = "assessment.failed", _("assessment failed")
