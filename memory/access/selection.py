"""What a list with boxes sends: which memories were selected, and the moment an undo is about."""

from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.urls import reverse
from django.utils.dateparse import parse_datetime

from memory.errors import FieldError, InvalidArguments
from memory.models import Space

MAX_SELECTED = 500


def selected_ids(posted: QueryDict) -> list[UUID]:
    """The memory whose own button was pressed (`only`), or those that are ticked (`id`).

    Raises InvalidArguments.
    """
    only = posted.get("only")
    try:
        ids = {UUID(value) for value in ([only] if only else posted.getlist("id"))}
    except ValueError:
        raise InvalidArguments(FieldError("id", "not an id")) from None
    if len(ids) > MAX_SELECTED:
        raise InvalidArguments(FieldError("id", f"more than {MAX_SELECTED}"))
    return sorted(ids)


def asked_moment(value: str) -> datetime:
    """The moment in an undo's address. Raises InvalidArguments."""
    try:
        moment = parse_datetime(value)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidArguments(FieldError("at", "not a moment"))
    return moment


def undo_address(space: Space, action: str, moment: datetime) -> str:
    """Where what was done at that moment is taken back (memories.views.bulk.undo)."""
    asked = urlencode({"at": moment.isoformat()})
    return f"{reverse('memories_undo', args=[space.slug, action])}?{asked}"
