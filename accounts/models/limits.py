"""Counts of calls and of failed logins, which all processes share."""

from django.db import models


class LimitCount(models.Model):
    """The count of a key in its latest window of time.

    The table belongs to no space and is unlogged: it is empty after a crash of PostgreSQL.
    """

    key = models.CharField(max_length=160, primary_key=True)
    started_at = models.DateTimeField()
    count = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.key} · {self.count}"
