"""Dates in a question, in the words that memories are indexed with."""

from datetime import UTC, datetime

import pytest

from memory.text.event_dates import with_dates
from memory.text.lexemes import prepare_question, unspaced_share

NOW = datetime(2023, 6, 14, 12, 0, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("我在5月2日说了什么？", "2 May 2023"),
        ("2023年5月2号我去了哪里", "2 May 2023"),
        ("2023年五月二十三日", "23 May 2023"),
        ("去年十二月我在做什么", "December 2022"),
        ("5월 2일에 뭐 했지?", "2 May 2023"),
        ("What did I say on 2023-05-02?", "2 May 2023"),
        ("What did we talk about yesterday?", "13 June 2023"),
        ("前天我吃了什么", "12 June 2023"),
        ("What did I do 3 days ago?", "11 June 2023"),
        ("3天前我在哪里", "11 June 2023"),
        ("三天前我在哪里", "11 June 2023"),
        ("What did I do three days ago?", "11 June 2023"),
        ("What did I do on the 2nd of May?", "2 May 2023"),
        ("Where was I on May 23rd, 2022?", "23 May 2022"),
        ("Who called last Tuesday?", "13 June 2023"),
        ("Who called on Wednesday?", "7 June 2023"),
        ("上周五我说了什么", "9 June 2023"),
        ("What did I plan last month?", "May 2023"),
        ("Where did we go last year?", "2022"),
    ],
)
def test_a_date_is_added_in_the_index_s_words(question: str, words: str) -> None:
    assert with_dates(question, NOW) == f"{question} {words}"


@pytest.mark.parametrize(
    "question",
    [
        "May I have a second coffee?",
        "13月4日",
        "一共三个月",
        "on a day",
        "the 2nd floor",
    ],
)
def test_nothing_is_added_without_a_date(question: str) -> None:
    assert with_dates(question, NOW) == question


def test_a_question_has_its_dates_and_each_word_once() -> None:
    assert prepare_question("昨天 13 日", NOW).split() == ["昨天", "13", "日", "june", "2023"]


def test_the_ends_of_shortened_words_are_no_words() -> None:
    asked = prepare_question("I'm sure we’ve met Ed's friend Madge", NOW)
    assert asked == "i sure we met ed's friend madge"


def test_single_chinese_characters_between_question_words_are_kept() -> None:
    assert prepare_question("我开什么车？", NOW).split() == ["开", "车", "?"]


@pytest.mark.parametrize(
    ("text", "share"),
    [("", 0), ("123!", 0), ("hello", 0), ("你好", 1), ("привет", 0), ("ab你好", 0.5)],
)
def test_share_of_letters_without_spaces(text: str, share: float) -> None:
    assert unspaced_share(text) == share
