"""`GET /v1/responses/{id}/input_items` through the real web server, with the real openai SDK."""

from typing import Any

import openai
import pytest

from tests.chat.openai_client import MakeClient, client, make_client
from tests.conftest import MakeKey
from tests.processes import Web

__all__ = ["client", "make_client"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

SAID: Any = [
    {"role": "user", "content": "I moved to Lisbon."},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": [{"type": "input_text", "text": "Which tram goes to Graça?"}]},
]


def text_of(item: Any) -> str:
    text: str = item.content[0].text
    return text


def test_the_input_items_of_a_response_are_listed_page_by_page(client: openai.OpenAI) -> None:
    response = client.responses.create(model="ebb", input=SAID)
    items = client.responses.input_items
    newest = items.list(response.id).data
    assert [text_of(item) for item in newest] == [
        "Which tram goes to Graça?",
        "Noted.",
        "I moved to Lisbon.",
    ]
    assert len({item.id for item in newest}) == 3
    first = items.list(response.id, order="asc", limit=2)
    assert [text_of(item) for item in first.data] == ["I moved to Lisbon.", "Noted."]
    assert first.has_more
    assert [item.id for item in items.list(response.id, order="asc", limit=2)] == [
        item.id for item in reversed(newest)
    ]
    for wrong in ({"after": "in_nothing"}, {"limit": 0}):
        with pytest.raises(openai.BadRequestError):
            items.list(response.id, **wrong)


def test_a_users_input_items_are_not_listed_for_another(
    model_web: Web, make_client: MakeClient, key: MakeKey
) -> None:
    client = make_client(model_web, key())
    mine = client.responses.create(model="ebb", input="I live in Graz.", user="alice")
    hers = {"X-Ebb-User": "alice"}
    found = client.responses.input_items.list(mine.id, extra_headers=hers).data
    assert [text_of(item) for item in found] == ["I live in Graz."]
    for headers in ({"X-Ebb-User": "bob"}, {}):
        with pytest.raises(openai.NotFoundError):
            client.responses.input_items.list(mine.id, extra_headers=headers)
