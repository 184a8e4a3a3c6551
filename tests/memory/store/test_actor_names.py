"""Actors are named in the reader's language; what a person or a program is called stays."""

import pytest
from django.utils.translation import override

from foundation.actors import SYSTEM
from memory.models import MemoryEvent
from memory.store.history_labels import named, who


@pytest.mark.parametrize(
    ("kind", "name", "english", "chinese"),
    [
        ("user", "alice", "<bdi>alice</bdi>", "<bdi>alice</bdi>"),
        ("key", "phone", "the key “<bdi>phone</bdi>”", "密钥“<bdi>phone</bdi>”"),
        ("assessor", "built-in", "the built-in assessor", "内置评估器"),
        ("assistant", "built-in", "the built-in responder", "内置应答器"),
        ("assistant", "gpt", "the assistant (<bdi>gpt</bdi>)", "助手（<bdi>gpt</bdi>）"),
        ("system", SYSTEM.name, "Ebb", "Ebb"),
    ],
)
def test_actors_are_named_in_both_languages(
    kind: str, name: str, english: str, chinese: str
) -> None:
    with override("en"):
        assert named(kind, name) == english
    with override("zh-hans"):
        assert named(kind, name) == chinese


def test_a_name_is_escaped() -> None:
    assert who(MemoryEvent(actor_type="key", actor_name="<b>")).count("&lt;b&gt;") == 1
