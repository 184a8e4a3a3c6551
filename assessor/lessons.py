"""Lessons of exchanges: the memories that they created or confirmed."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Prefetch
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.space_rows import SpaceForeignKey, SpaceRow


class Lesson(SpaceRow):
    """A memory that an exchange taught: created by one of its facts, or confirmed by it.

    Each exchange of a span has the lessons of the span. `position` counts the facts.
    """

    space = models.ForeignKey("accounts.Space", models.CASCADE, related_name="+")
    assessment = SpaceForeignKey(
        "assessor.Assessment", models.CASCADE, related_name="taught", verbose_name=_("assessment")
    )
    position = models.PositiveSmallIntegerField(_("position"))
    memory = SpaceForeignKey(
        "memory.Memory", models.CASCADE, related_name="lessons", verbose_name=_("memory")
    )

    class Meta:
        verbose_name = _("lesson")
        verbose_name_plural = _("lessons")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "assessment", "position"], name="lesson_once_per_position"
            )
        ]
        indexes = [models.Index(fields=["space", "memory"], name="lesson_by_memory")]

    def __str__(self) -> str:
        return f"{self.position} · {self.memory_id}"

    @property
    def is_new(self) -> bool:
        """True if the exchange or its span created the memory instead of confirming a known one."""
        made_by = self.memory.source_assessment
        return made_by in {self.assessment_id, self.assessment.part_of_id} - {None}


def lessons_taught_by(*span: Any) -> list[Lesson]:
    """Return the lessons of one assessment, or of all that were assessed with it, with their
    memories, in order; none if it is not stored."""
    first, ids = span[0], [one.pk for one in span if one.pk]
    rows = Lesson.objects.filter(space_id=first.space_id, assessment__in=ids)
    lessons = {one.position: one for one in rows.select_related("memory").order_by("position")}
    for lesson in lessons.values():
        if lesson.assessment_id == first.pk:
            lesson.assessment = first
    return list(lessons.values())


def lessons_of(space: Space, path: str = "") -> Prefetch[Any]:
    """Return what reads `lessons` for many assessments of the space, found along this path."""
    rows = Lesson.objects.filter(space_id=space.pk).select_related("memory").order_by("position")
    return Prefetch(f"{path}taught", rows, to_attr="lessons")
