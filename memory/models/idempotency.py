"""The memories that resulted from a request with an Idempotency-Key."""

from django.db import models


class IdempotentWrite(models.Model):
    """The memory that one statement of a request resulted in: a new one (`is_new`), or an existing
    one that it restated. `position` is the statement's index in the request, from 0.
    """

    space = models.ForeignKey("memory.Space", models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    position = models.PositiveSmallIntegerField(default=0)
    memory = models.ForeignKey("memory.Memory", models.CASCADE, related_name="idempotent_writes")
    is_new = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["space", "key", "position"], name="write_once_per_idempotency_key"
            )
        ]

    def __str__(self) -> str:
        return self.key
