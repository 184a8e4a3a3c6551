"""Standing decisions about what is held: made with a decision on those that wait, and dropped."""

from datetime import datetime

from django.db import transaction

from memory.actors import Actor
from memory.errors import Conflict
from memory.models import ReviewRule, Space

MAX_RULES = 50


@transaction.atomic
def always(*, space: Space, kind: str, approve: bool, actor: Actor, now: datetime) -> ReviewRule:
    """From now on what is held for this kind of reason is approved, or rejected, at once; an
    earlier decision on the kind is replaced. Raises Conflict when there are MAX_RULES."""
    # Two at once count one after the other. Nobody who writes memories has to wait.
    Space.objects.select_for_update(no_key=True).get(pk=space.pk)
    rows = ReviewRule.objects.in_space(space)
    rows.on(kind).delete()
    if rows.count() >= MAX_RULES:
        raise Conflict(f"There are {MAX_RULES} review rules, the maximum.")
    return rows.create(
        space=space, kind=kind, approve=approve, made_by=actor.name[:150], created_at=now
    )


def drop_rule(*, space: Space, rule_id: int) -> None:
    """What is held for its reason waits for a person again. What it decided on stays so."""
    ReviewRule.objects.in_space(space).filter(pk=rule_id).delete()
