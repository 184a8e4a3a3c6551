"""The conversation around a message counts when the built-in assessor assesses it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.local import LocalResult, assess
from assessor.local.context import context_features, in_context, log_odds
from assessor.local.talks import load_talks
from assessor.outbox import services
from assessor.saving.exchanges import earlier_texts
from memory.embeddings.minilm import MiniLMEmbedder
from tests.assessor.outbox import NOW

Assess = Callable[..., LocalResult]
NAME = "What's the name of your dog?"


@pytest.fixture(scope="module")
def assessed(tmp_path_factory: pytest.TempPathFactory) -> Assess:
    embed: Callable[[Sequence[str]], npt.NDArray[np.float32]] = MiniLMEmbedder(
        cache_dir=tmp_path_factory.mktemp("minilm")
    ).embed

    def run(message: str, reply: str = "", earlier: Sequence[str] = ()) -> LocalResult:
        return assess(message, reply, embed=embed, earlier=earlier)

    return run


def test_an_answer_is_worth_more_than_its_words_alone(assessed: Assess) -> None:
    alone, answer = assessed("Luna"), assessed("Luna", earlier=["I have a dog", NAME])

    assert answer.importance > alone.importance
    assert alone.summary == "Luna"
    assert answer.summary == f"Luna ({NAME})"


def test_what_was_just_said_is_worth_less_the_second_time(assessed: Assess) -> None:
    said = "I sing in the cathedral choir in Leeds on Thursdays"

    first, again = assessed(said), assessed(said, earlier=[said, "How nice."])

    assert again.importance < first.importance


def test_small_talk_stays_unlearned_in_any_context(assessed: Assess) -> None:
    for message in ("hi", "thanks!", "lol ok", "谢谢", "Wow, that's great!", "You're the best!"):
        result = assessed(message, "Wow, how are you?", ["Hello!", "How was your day?"])
        assert result.importance < 0.2, message


def test_many_warm_words_are_worth_little(assessed: Assess) -> None:
    warm = (
        "Thank you so much, your kindness means the world to me! Life has its ups and downs, but "
        "with people like you around anything is possible. Let's never stop chasing our dreams!"
    )
    plain = "I moved to Ghent in May"

    assert assessed(warm).importance < assessed(plain).importance - 0.3


def test_without_a_context_the_features_change_nothing() -> None:
    features = context_features("I like pizza", "Noted.", [])

    assert features == [0.0, 0.0, 0.0]
    assert in_context(0.7, features, (1.0, 1.0, 1.0)) == 0.7
    assert in_context(0.0, [0.0, 1.0, 0.0], (1.0, 1.0, 1.0)) == 0.0


def test_features_of_repetition_question_and_reaction() -> None:
    said, asked = "My sister Ada flies gliders", "What does Ada do?"

    new, answers, acknowledged = context_features(said, "Wow, gliders!", [asked])
    assert new < 0
    assert (answers, acknowledged) == (1.0, 1.0)
    assert context_features("And who is Ada?", "", [asked])[1] == 0.0
    assert context_features("我养了一只猫", "", ["我养了一只猫"])[0] < new


@pytest.mark.parametrize("importance", [0.0, 0.3, 1.0])
def test_log_odds_are_finite(importance: float) -> None:
    assert abs(log_odds(importance)) < 4


def test_conversations_have_both_languages_and_all_kinds() -> None:
    talks = load_talks()

    assert len(talks) >= 750
    assert sum(turn.lang == "zh" for turn in talks) >= 100
    assert len({turn.conversation for turn in talks}) >= 80
    for low, high in ((0, 0.2), (0.2, 0.4), (0.5, 0.65), (0.65, 0.9)):
        assert sum(low <= turn.importance <= high for turn in talks) >= 40
    assert not any("{" in turn.text for turn in talks)
    # Long turns that are worth nothing, and short ones that are worth much.
    assert sum(len(turn.text) > 100 and turn.importance < 0.3 for turn in talks) >= 40
    assert sum(len(turn.text) < 40 and turn.importance >= 0.5 for turn in talks) >= 60


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
