"""Short answers of the built-in responder: what the user asked, and of whom the memory tells."""

from datetime import timedelta

import pytest

from tests.chat.builtin_turns import LISBON, NOW, answer, result


@pytest.mark.parametrize(
    ("question", "memory", "said"),
    [
        ("where do I live?", LISBON, "You live in Lisbon."),
        ("Where do I live", "I moved from Porto to Lisbon last year", "You live in Lisbon."),
        (
            "What's my dog's name?",
            "My dog is a beagle called Biscuit",
            "Your dog's name is Biscuit.",
        ),
        ("where am I from?", "User grew up in Cork", "You are from Cork."),
        ("我住在哪里？", "用户搬到了里斯本", "你住在里斯本。"),
    ],
)
def test_a_simple_question_gets_a_short_answer(question: str, memory: str, said: str) -> None:
    told = answer(question, result(memory, relevance=0.9), result("User likes pizza"))

    assert told.startswith(said)
    assert f"“{memory}”" in told
    assert "pizza" not in told


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("My partner Deniz is vegetarian but I eat everything.", "Your partner's name is Deniz."),
        ("My partner is called Deniz", "Your partner's name is Deniz."),
        ("My partner is Turkish", ""),
        ("My partner is vegetarian", ""),
        ("The user's partner is called Deniz", "Your partner's name is Deniz."),
        ("Rui's partner is called Ada", ""),
    ],
)
def test_a_name_is_found_behind_a_memory_that_seems_to_fit_better(memory: str, said: str) -> None:
    cat = result("we ended up naming the cat Pepper", relevance=0.9)

    told = answer("What's my partner's name?", cat, result(memory, relevance=0.56))

    assert told.startswith(said or "You told me before:")
    assert said or "partner's name is" not in told


@pytest.mark.parametrize(
    "memory",
    [
        "My sister's name is Joana and she lives in Porto.",
        "User has a brother who moved to Porto",
        "Rui lives in Porto",
    ],
)
def test_where_somebody_else_lives_is_not_where_the_user_lives(memory: str) -> None:
    assert "You live in" not in answer("where do I live?", result(memory, relevance=0.9))


@pytest.mark.parametrize(
    ("question", "memory", "sure"),
    [
        ("What is my brother's name?", "My sister's name is Joana", False),
        ("who is my boss?", "My manager is called Rui", True),
        ("What am I allergic to?", "My son is allergic to peanuts", False),
        ("我弟弟叫什么？", "我妹妹叫小雨", False),
        ("我妹妹叫什么？", "我妹妹叫小雨", True),
    ],
)
def test_what_is_known_of_somebody_else_is_no_answer(
    question: str, memory: str, sure: bool
) -> None:
    told = answer(question, result(memory, similarity=0.6, words=0.5, relevance=0.9))

    assert told.startswith(("You told me before:", "你以前告诉过我：")) is sure


@pytest.mark.parametrize(
    "question", ["tell me my dog's name", "ok, thanks. what's my dog called again"]
)
def test_a_question_is_known_without_its_mark(question: str) -> None:
    told = answer(question, result("My dog is called Biscuit", similarity=0.7, words=0.5))

    assert told.startswith("You told me before:")


def test_somebody_elses_home_does_not_hide_the_own_one() -> None:
    own = result("I moved to Lisbon in 2019", relevance=0.14)

    told = answer("where do I live?", result("My sister lives in Porto", relevance=0.84), own)

    assert told.startswith("You live in Lisbon.")


def test_in_chinese_the_relevance_tells_what_may_help() -> None:
    told = answer("我的职业是什么？", result("我是一名放射科医生", relevance=0.4))

    assert "放射科医生" in told
    assert "放射科医生" not in answer("我的职业是什么？", result("我是一名放射科医生"))


def test_two_places_that_compete_give_no_short_answer() -> None:
    porto = result("User lives in Porto", relevance=0.85)

    told = answer("where do I live?", result(LISBON, relevance=0.9), porto)

    assert "You live in" not in told


def test_a_memory_that_does_not_name_the_place_gives_no_short_answer() -> None:
    told = answer("where do I live?", result("User eats in Lisbon", relevance=0.9))

    assert "You live in" not in told


def test_the_past_is_not_answered_with_the_present() -> None:
    was = result("User lives in Lisbon", 0.6, relevance=0.6)
    was.memory.valid_to = NOW
    was.contributions["past"] = 0.6
    said = answer(
        "Where did I live before Porto?", was, result("User lives in Porto", 0.7, relevance=0.9)
    )
    first, second = said.splitlines()[-2:]
    assert first.startswith("- “User lives in Lisbon” (today")
    assert "true until" in first
    assert second.startswith("- “User lives in Porto”")
    assert "true until" not in second


def test_what_was_said_before_midnight_was_said_yesterday() -> None:
    told = result("User lives in Lisbon", 0.6, relevance=0.9)
    told.memory.created_at = NOW - timedelta(hours=12, minutes=10)
    assert "(1 day ago, Feb. 17, 2026" in answer("Where do I live?", told)
