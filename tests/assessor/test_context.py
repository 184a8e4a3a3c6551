"""The conversation around a message counts when the built-in assessor assesses it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.local import assess
from assessor.outbox import services
from assessor.saving.exchanges import earlier_texts
from tests.assessor.outbox import NOW

CITY = "Which city are you flying to?"


def test_an_answer_is_worth_more_than_its_words_alone() -> None:
    alone, answer = assess("Oslo"), assess("Oslo", earlier=["I booked a flight", CITY])

    assert answer.importance > alone.importance
    assert alone.summary == "Oslo"
    assert answer.summary == f"Oslo ({CITY})"


def test_small_talk_stays_unlearned_in_any_context() -> None:
    for message in ("hi", "thanks!", "lol ok", "谢谢", "Wow, that's great!", "You're the best!"):
        result = assess(message, "Wow, how are you?", earlier=["Hello!", "How was your day?"])
        assert result.importance < 0.2, message


def test_many_warm_words_are_worth_little() -> None:
    warm = (
        "Thank you so much, your kindness means the world to me! Life has its ups and downs, but "
        "with people like you around anything is possible. Let's never stop chasing our dreams!"
    )
    plain = "I moved to Ghent in May"

    assert assess(warm).importance < assess(plain).importance - 0.3


@pytest.mark.django_db
def test_earlier_texts_are_those_of_the_conversation(space: Space, other_space: Space) -> None:
    def say(
        where: Space, conversation: str, said: str, reply: str, minutes: float, **more: Any
    ) -> None:
        services.queue_assessment(
            space=where,
            exchange=Exchange(said, reply, source_conversation=conversation, **more),
            now=NOW - timedelta(minutes=minutes),
        )

    say(space, "c1", "too old", "", 60 * 25)
    say(space, "c1", "first", "what else?", 9)
    say(space, "c1", "second", "", 8)
    say(space, "c2", "another conversation", "", 7)
    say(other_space, "c1", "another space", "", 6)
    say(space, "c1", "another user", "", 5, user_id="bob")
    say(space, "c1", "itself", "", 0)
    exchange = Exchange("itself", source_conversation="c1")

    assert earlier_texts(exchange, space, before=NOW) == ["first", "what else?", "second"]
    assert earlier_texts(replace(exchange, user_id="bob"), space, before=NOW) == ["another user"]
    assert earlier_texts(replace(exchange, source_conversation=""), space, before=NOW) == []
