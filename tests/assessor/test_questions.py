"""Questions are known by their marks, and in English and Chinese also without them."""

import pytest

from assessor.local import assess
from chat.responders.questions import is_question


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "what's my dog's name",
        "how much do I weigh",
        "which city do i live in",
        "so when's the wedding",
        "btw what was my sister's name again",
        "do I have pets",
        "tell me my wife's name",
        "我的狗叫什么名字",
        "我妹妹在哪里工作",
        "我几点起床",
        "我每月房贷是多少来着",
        "我对花生过敏吗",
    ],
)
def test_a_question_is_one_without_its_mark_too(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "What I like is tea",
        "When I was ten we moved to Rome",
        "What a day I had",
        "Where I live it always rains",
        "I know what my dog likes",
        "Will is my brother and I love him",
        "我什么都吃",
        "我没什么忌口",
        "我不知道什么时候能回家",
        "我住在青岛",
    ],
)
def test_a_statement_with_question_words_is_none(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "tell me my wife's name",
        "how much do I weigh",
        "what food does the user like? and thanks",
        "hey, thanks! btw what was my sister's name again",
        "我的狗叫什么名字",
        "我开什么车",
        "谢谢！对了，我的狗叫什么名字？",
    ],
)
def test_a_question_without_its_mark_is_not_saved(text: str) -> None:
    assert assess(text, "Sure.").importance < 0.2


def test_a_statement_with_thanks_is_saved() -> None:
    told = "Thanks! I moved to Lisbon in March."

    assert assess(told, "Sure.").importance > 0.2
