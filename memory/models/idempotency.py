"""The memories that resulted from a request with an Idempotency-Key."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.space_rows import SpaceForeignKey, SpaceRow


class IdempotentWrite(SpaceRow):
    """The memory that one statement of a request resulted in: a new one (`is_new`), or an existing
    one that it restated. `position` is the statement's index in the request, from 0.
    """

    space = models.ForeignKey("accounts.Space", models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    position = models.PositiveSmallIntegerField(default=0)
    memory = SpaceForeignKey("memory.Memory", models.CASCADE, related_name="idempotent_writes")
    is_new = models.BooleanField(default=True)

    class Meta:
        verbose_name = _("idempotent write")
        verbose_name_plural = _("idempotent writes")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "key", "position"], name="write_once_per_idempotency_key"
            )
        ]

    def __str__(self) -> str:
        return self.key
