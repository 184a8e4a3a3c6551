"""Erases the exchanges from which purged memories were learned, and redacts others."""

from collections.abc import Callable, Collection, Sequence
from uuid import UUID

from django.db.models import Q

from accounts.models import Space
from assessor.lessons import Lesson
from assessor.models import Assessment
from memory.models import Memory
from memory.text.secrets import mask_json

_EMPTY = {
    "user_message": "", "assistant_response": "", "context": {}, "raw_answer": "", "summary": "",
    "reasoning": "", "error": "", "tags": [], "topics": [], "omitted": {}, "failed_tries": [],
    "metadata": {},
}  # fmt: skip

_TEXTS = (
    "user_message", "assistant_response", "context", "raw_answer", "summary", "error",
    "failed_tries",
)  # fmt: skip


def erase(space: Space, memories: Sequence[Memory]) -> None:
    """Empty the assessments of these memories, with all exchanges of their spans. Keep their
    figures and times.
    """
    sources = [memory.source_assessment for memory in memories if memory.source_assessment]
    of_space = Assessment.objects.in_space(space)
    taught = Lesson.objects.filter(space_id=space.pk, memory__in=memories)
    found = [*sources, *taught.values_list("assessment_id", flat=True)]
    of_space.filter(Q(pk__in=found) | Q(part_of__in=found)).update(**_EMPTY)


def rewrite(space: Space, assessment_ids: Collection[UUID], mask: Callable[[str], str]) -> None:
    """Apply the mask to the texts of these exchanges and of their assessments."""
    rows = list(Assessment.objects.in_space(space).filter(pk__in=assessment_ids))
    for row in rows:
        for name in _TEXTS:
            setattr(row, name, mask_json(getattr(row, name), mask))
    Assessment.objects.in_space(space).bulk_update(rows, _TEXTS, batch_size=200)
