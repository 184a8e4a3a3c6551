"""Lists the input items of a stored response in the form of OpenAI's API."""

from typing import Annotated, Literal

from ninja import Field, Schema

from chat.models import StoredResponse
from endpoints.completions.schemas import Json
from foundation.errors import FieldError, InvalidArguments


class InputItemsIn(Schema):
    """A page of input items: the order, the number of items, and the id before its first one."""

    order: Literal["asc", "desc"] = "desc"
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    after: str | None = None


class InputItemsOut(Schema):
    """A page of the input items of a response."""

    object: Literal["list"] = "list"
    data: list[Json]
    first_id: str | None
    last_id: str | None
    has_more: bool


def input_items(stored: StoredResponse, asked: InputItemsIn) -> InputItemsOut:
    """Return a page of the items that a response was asked with.

    Raises InvalidArguments if `after` is not one of their ids.
    """
    root = stored.pk.removeprefix("resp_")
    items = [_shown(item, f"in_{root}_{place}") for place, item in enumerate(stored.items)]
    if asked.order == "desc":
        items.reverse()
    if asked.after is not None:
        ids = [item["id"] for item in items]
        if asked.after not in ids:
            raise InvalidArguments(FieldError("after", "no item of this response has this id"))
        items = items[ids.index(asked.after) + 1 :]
    page = items[: asked.limit]
    return InputItemsOut(
        data=page,
        first_id=page[0]["id"] if page else None,
        last_id=page[-1]["id"] if page else None,
        has_more=len(items) > len(page),
    )


def _shown(item: Json, id_: str) -> Json:
    """Return an item with an id, and a message with its text as a part."""
    shown = {"type": "message", **item, "id": item.get("id") or id_}
    content = shown.get("content")
    if shown["type"] == "message" and isinstance(content, str):
        kind = "output_text" if shown.get("role") == "assistant" else "input_text"
        annotations: Json = {"annotations": []} if kind == "output_text" else {}
        shown |= {"content": [{"type": kind, "text": content, **annotations}]}
    return shown
