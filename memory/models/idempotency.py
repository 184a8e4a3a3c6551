"""Which memories a request with an Idempotency-Key ended in."""

from django.db import models


class IdempotentWrite(models.Model):
    """What a statement of a request with an Idempotency-Key ended in: a memory of its own
    (`is_new`), or one that it restated. `position` is its place in the request, from 0."""

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
