"""Keys of repeated `POST chat` calls."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.space_rows import SpaceForeignKey, SpaceRow


class IdempotentTurn(SpaceRow):
    """The reply to the `POST chat` calls with this Idempotency-Key; replaced by a new reply after a
    failure.
    """

    space = models.ForeignKey("accounts.Space", models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    reply = SpaceForeignKey("chat.Message", models.CASCADE, related_name="+")

    class Meta:
        verbose_name = _("idempotent turn")
        verbose_name_plural = _("idempotent turns")
        constraints = [
            models.UniqueConstraint(fields=["space", "key"], name="turn_once_per_idempotency_key")
        ]

    def __str__(self) -> str:
        return self.key
