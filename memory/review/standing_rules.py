"""Standing decisions about statements sent to review: creating and deleting them."""

from datetime import datetime

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.database.locks import lock_changes
from foundation.errors import Conflict
from memory.models import ReviewRule

MAX_RULES = 50


@transaction.atomic
def always(*, space: Space, kind: str, approve: bool, actor: Actor, now: datetime) -> ReviewRule:
    """Approve or reject at once every later statement sent to review for this kind of reason;
    replace an earlier standing decision on the kind. Raises Conflict when there are MAX_RULES."""
    # Serialises concurrent calls.
    lock_changes(space.pk)
    rows = ReviewRule.objects.in_space(space)
    rows.on(kind).delete()
    if rows.count() >= MAX_RULES:
        raise Conflict(f"The space has {MAX_RULES} review rules, the maximum. Remove one first.")
    return rows.create(
        space=space, kind=kind, approve=approve, made_by=actor.name[:150], created_at=now
    )


def drop_rule(*, space: Space, rule_id: int) -> None:
    """Delete a standing decision. Later statements of its kind wait for review again; decisions
    already made by it remain."""
    ReviewRule.objects.in_space(space).filter(pk=rule_id).delete()
