"""The memories that only certain exchanges taught."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from accounts.models import Space
from assessor.lessons import Lesson
from assessor.models import Assessment
from memory.models import Memory, MemoryEvent, MemoryRevision
from memory.models.history import Action
from memory.models.memories import MemoryQuerySet
from memory.tools import TOOL


def lock_taught(
    space: Space, assessment_ids: Collection[UUID], written_ids: Collection[UUID]
) -> list[Memory]:
    """Lock the memories taught only by these exchanges until the transaction ends; return them.

    Locks first and filters then, so that a memory pinned or edited at this moment is kept.
    """
    made = Memory.objects.in_space(space).live().filter(made_in(space, assessment_ids, written_ids))
    list(made.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    return list(taught_only_by(space, assessment_ids, written_ids))


def taught_only_by(
    space: Space, assessment_ids: Collection[UUID], written_ids: Collection[UUID]
) -> MemoryQuerySet:
    """Return active memories that only these exchanges taught.

    Excludes memories that were restated, changed or pinned by other means.
    """
    others = Lesson.objects.filter(space_id=space.pk, memory=OuterRef("pk"))
    others = others.exclude(assessment__in=assessment_ids)
    again = MemoryEvent.objects.filter(
        space_id=space.pk, memory_id=OuterRef("pk"), action=Action.REINFORCED
    )
    changed = MemoryRevision.objects.filter(space_id=space.pk, memory_id=OuterRef("pk"))
    # An assessment's own revision and an inheritance do not count as changes. Older rows have no
    # code.
    sentences = ["judged with its exchange", "judged again"]
    assessed = Q(reason_code__in=["assessed", "assessed_again"]) | Q(reason__in=sentences)
    changed = changed.exclude(assessed, actor_type="assessor").exclude(reason_code="inherited")
    made = Memory.objects.in_space(space).live().filter(made_in(space, assessment_ids, written_ids))
    mine = made.filter(pinned=False).exclude(Exists(changed))
    return mine.exclude(Exists(others)).exclude(Exists(again)).order_by("pk")


def made_in(space: Space, assessment_ids: Collection[UUID], written_ids: Collection[UUID]) -> Q:
    """Return the filter for memories from assessments of these exchanges and of their spans, or
    from tools in them."""
    rows = Assessment.objects.in_space(space).filter(pk__in=assessment_ids)
    spans = rows.exclude(part_of=None).values_list("part_of_id", flat=True)
    made = Q(source_assessment__in=[*assessment_ids, *spans])
    return made | Q(pk__in=written_ids, source_role=TOOL)
