"""Database writes of the Responses API: keep and delete responses."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import Space
from chat.models import StoredResponse
from endpoints.completions.schemas import Json
from foundation.errors import NotFound
from foundation.readers import Reader
from foundation.texts.storable import storable
from memory.references import check_change


def keep_response(*, space: Space, response: Json, items: Sequence[Json], now: datetime) -> None:
    """Store an ended response with its own input items, so that clients can continue it."""
    # The recalled memories stay where a purge finds them: with the reply's message.
    memories = {"recalled", "standing"}
    ebb = {name: value for name, value in response["ebb"].items() if name not in memories}
    StoredResponse.objects.create(
        pk=response["id"],
        space=space,
        conversation_id=ebb["conversation_id"],
        previous_id=response["previous_response_id"] or "",
        items=_storable(list(items)),
        body=_storable({**response, "ebb": ebb}),
        created_at=now,
    )


def get_response(space: Space, reader: Reader, response_id: str) -> StoredResponse:
    """Return a response that the reader sees; raises NotFound."""
    rows = StoredResponse.objects.in_space(space).readable_by(reader)
    found: StoredResponse | None = None
    if "\x00" not in response_id:  # PostgreSQL refuses it
        found = rows.filter(pk=response_id).first()
    if found is None:
        raise NotFound("Response not found.")
    return found


@transaction.atomic
def delete_response(*, space: Space, reader: Reader, response_id: str) -> None:
    """Delete a response; raises NotFound, and Forbidden if the reader may only read it.

    Responses that continued it then continue the previous one. The conversation and its memories
    stay.
    """
    found = get_response(space, reader, response_id)
    check_change(reader, found.conversation)
    rows = StoredResponse.objects.in_space(space)
    rows.filter(previous_id=found.pk).update(previous_id=found.previous_id)
    found.delete()


def _storable(value: Any) -> Any:
    """Return JSON whose texts can be stored, at any depth."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): _storable(item) for name, item in value.items()}
    return value
