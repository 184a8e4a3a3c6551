"""Saved questions of the lab: save and remove."""

from datetime import datetime

from django.db import transaction

from accounts.models import Space
from foundation.database.locks import lock_changes
from foundation.errors import Conflict
from memory.models import SavedQuery
from memory.models.saved_queries import MAX_SAVED


@transaction.atomic
def save_query(*, space: Space, query: str, now: datetime) -> SavedQuery:
    """Save the question, if it is new. Raises Conflict when the space has the most it may have."""
    # Serialises concurrent saves.
    lock_changes(space.pk)
    rows = SavedQuery.objects.in_space(space)
    if rows.count() >= MAX_SAVED and not rows.filter(query=query).exists():
        raise Conflict(f"The space has {MAX_SAVED} saved questions, the maximum. Delete one first.")
    saved, _made = rows.get_or_create(space=space, query=query, defaults={"created_at": now})
    return saved


def drop_query(*, space: Space, query: str) -> None:
    """Remove a saved question, if there is one."""
    SavedQuery.objects.in_space(space).filter(query=query).delete()
