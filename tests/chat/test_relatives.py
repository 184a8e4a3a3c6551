"""The built-in responder answers questions about relatives with memories that name them."""

import pytest

from chat.responders.relations import names_people_asked_for
from tests.chat.builtin_turns import answer, result


@pytest.mark.parametrize(
    ("question", "text", "named"),
    [
        ("Do I have kids?", "Mara has a daughter, Ines (7), and a son, Theo (4).", True),
        ("What do you know about my family?", "My grandfather kept bees", True),
        ("我家里人怎么样？", "用户的妹妹在上海读书", True),
        ("What do you know about my family?", "My boss plays the drums", False),
        ("Do I have a brother?", "My daughter is four", False),
        ("Where do I live?", "My daughter is four", False),
    ],
)
def test_relatives_are_named_if_the_question_asks_for_them(
    question: str, text: str, named: bool
) -> None:
    assert names_people_asked_for(question, text) is named


def test_a_relative_is_quoted_although_hardly_similar() -> None:
    children = result("Mara has a daughter, Ines (7), and a son, Theo (4).", 0.2, relevance=0.4)
    boss = result("My boss plays the drums", 0.2, relevance=0.4)

    assert "Ines" in answer("What do you know about my family?", children)
    assert "drums" not in answer("What do you know about my family?", boss)


def test_a_relative_is_quoted_in_chinese_if_the_family_is_asked_for() -> None:
    mother = result("我妈妈下个月来上海看我。", 0.5, relevance=0.2)

    assert "来上海看我" in answer("你知道我家人的什么事？", mother)
    assert "来上海看我" not in answer("我妈妈喜欢什么颜色？", mother)
