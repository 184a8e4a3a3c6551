"""The memories selected in a list, as a form sends them."""

from uuid import UUID

from django.http import QueryDict

from foundation.errors import FieldError, InvalidArguments

MAX_SELECTED = 500


def selected_ids(posted: QueryDict) -> list[UUID]:
    """Return the id of the memory whose own button was pressed (`only`), or the selected ids
    (`id`).

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
