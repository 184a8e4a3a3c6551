"""Finds the items of earlier responses and the conversation that a request continues."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import Space
from chat.models import StoredResponse, StoredResponseQuerySet
from endpoints.completions.conversation_lookup import Names, named, with_id
from endpoints.completions.schemas import Json
from endpoints.responses.schemas import ResponseIn
from foundation.errors import FieldError, InvalidArguments
from foundation.readers import Reader


@dataclass(frozen=True)
class Continued:
    """The items before the request, its own items, and its conversation ("" if not named)."""

    history: list[Json]
    items: list[Json]
    conversation: str


def continued(space: Space, owner: str | None, asked: ResponseIn) -> Continued:
    """Return the request's items after the items that it continues. Only responses of exactly this
    user count; for None, only the shared ones.

    Raises InvalidArguments if it refers to a response or an item that does not exist.
    """
    known = StoredResponse.objects.in_space(space).readable_by(Reader.exactly(owner))
    items = _resolved(known, asked.items)
    if asked.previous_response_id is not None:
        last = known.filter(pk=asked.previous_response_id).first()
        if last is None:
            raise InvalidArguments(
                FieldError("previous_response_id", "not found. Send the whole history as `input`")
            )
        return Continued(_items(_chain(known, last)), items, str(last.conversation_id))
    names = Names(asked.conversation or "", "", owner)
    return Continued(_items(_in_conversation(space, names)), items, names.conversation)


def _chain(known: StoredResponseQuerySet, last: StoredResponse) -> list[StoredResponse]:
    """Return the responses that led to this one, oldest first, with it."""
    rows = known.filter(conversation_id=last.conversation_id)
    by_id = {row.pk: row for row in rows}
    chain: list[StoredResponse] = []
    row: StoredResponse | None = last
    while row is not None:
        chain.append(row)
        row = by_id.get(row.previous_id)
    return chain[::-1]


def _in_conversation(space: Space, names: Names) -> Sequence[StoredResponse]:
    """Return the responses of the conversation with this id or name, oldest first."""
    found = with_id(space, names) or named(space, names) if names.conversation else None
    if found is None:
        return []
    rows = StoredResponse.objects.in_space(space).filter(conversation=found)
    return list(rows.order_by("created_at"))


def _items(rows: Sequence[StoredResponse]) -> list[Json]:
    return [item for row in rows for item in (*row.items, *row.body["output"])]


def _resolved(stored: StoredResponseQuerySet, items: Sequence[Json]) -> list[Json]:
    """Return the items with each `item_reference` replaced by the output item that it names."""
    references = {str(item.get("id")) for item in items if item.get("type") == "item_reference"}
    if not references:
        return list(items)
    # The id of an output item contains its response's (ResponseWriter).
    ids = {f"resp_{reference.split('_')[1]}" for reference in references if "_" in reference}
    rows = stored.filter(pk__in=ids)
    known = {item["id"]: item for row in rows for item in row.body["output"]}
    if missing := references - known.keys():
        message = f"no item {min(missing)!r}. Send the item itself"
        raise InvalidArguments(FieldError("input", message))
    return [known[item["id"]] if item.get("type") == "item_reference" else item for item in items]
