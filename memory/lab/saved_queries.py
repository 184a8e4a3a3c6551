"""Keeping questions to ask them again, and dropping them."""

from datetime import datetime

from django.db import transaction

from memory.errors import Conflict
from memory.models import SavedQuery, Space
from memory.models.saved_queries import MAX_SAVED


@transaction.atomic
def save_query(*, space: Space, query: str, now: datetime) -> SavedQuery:
    """Keeps the question; one that is kept already stays as it is. Raises Conflict when the space
    has as many as it may have."""
    # Two at once count one after the other. Nobody who writes memories has to wait.
    Space.objects.select_for_update(no_key=True).get(pk=space.pk)
    rows = SavedQuery.objects.in_space(space)
    if rows.count() >= MAX_SAVED and not rows.filter(query=query).exists():
        raise Conflict(f"There are {MAX_SAVED} saved questions, the maximum.")
    saved, _made = rows.get_or_create(space=space, query=query, defaults={"created_at": now})
    return saved


def drop_query(*, space: Space, query: str) -> None:
    """Drops the question; where it is not kept, nothing happens."""
    SavedQuery.objects.in_space(space).filter(query=query).delete()
