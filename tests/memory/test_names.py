"""Allowed names: nothing that breaks a line or turns the direction of a text."""

import re

import pytest

from accounts.keys.services import create_key
from accounts.models import Embedder, Space
from chat.choices import chosen
from foundation.actors import SYSTEM
from foundation.errors import InvalidArguments
from foundation.texts.names import NAME_PATTERN, OPTIONAL_NAME_PATTERN, checked_name, checked_user
from memory.model_connections.fields import checked_model
from memory.spaces.services import create_space
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import NOW

REFUSED = [chr(code) for code in (0, 10, 0x1F, 0x7F, 0x85, 0x9F)] + [
    chr(code) for code in (*range(0x2028, 0x202F), *range(0x2066, 0x206A))
]
# Joiners of Persian and emoji, an accent, and the marks beside the refused ones
ALLOWED = [
    "سارا", "שרה", "می\u200cخواهم", "👩\u200d🔬", "e\u0301", "a\u2027b", "a\u202fb", "a\u2065b",
]  # fmt: skip


@pytest.mark.parametrize("sign", REFUSED, ids=ascii)
def test_a_name_with_a_control_or_direction_mark_is_refused(sign: str) -> None:
    name = f"ali{sign}ce"
    for check in (checked_name, checked_user):
        with pytest.raises(ValueError, match="control characters or direction marks"):
            check(name)
    with pytest.raises(InvalidArguments):
        checked_model(name)
    with pytest.raises(InvalidArguments):
        chosen({"model": name})
    assert not re.search(NAME_PATTERN, name)
    assert not re.search(OPTIONAL_NAME_PATTERN, name)


@pytest.mark.parametrize("name", ALLOWED, ids=ascii)
def test_a_name_of_any_script_is_taken(name: str) -> None:
    assert checked_user(name) == name
    assert re.search(NAME_PATTERN, name)


@pytest.mark.django_db
@pytest.mark.parametrize("sign", ["\u202e", "\u2066"], ids=ascii)
def test_every_name_refuses_them(space: Space, key: MakeKey, sign: str) -> None:
    name = f"ali{sign}ce"
    client = ApiClient(key())
    for names in ({"user_id": name}, {"agent_id": name}, {"session_id": name}):
        answer = client.post("memories", {"content": "User likes tea", **names})
        assert (answer.status_code, [one["field"] for one in answer.json()["errors"]]) == (
            422, list(names),
        )  # fmt: skip
    assert client.get("memories", user_id=name).status_code == 422
    with pytest.raises(InvalidArguments):
        create_key(space=space, name=name, scopes=["read"], actor=SYSTEM, now=NOW)
    with pytest.raises(InvalidArguments):
        create_space(slug="other", name=name, embedder=Embedder.objects.get(), actor=SYSTEM)
