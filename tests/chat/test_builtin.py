"""The built-in responder: it answers with what it was told, and never pretends to be a model."""

import asyncio

import pytest

from assessor.llm import ChatMessage, Finished, TextDelta
from chat.responders.base import Turn
from chat.responders.builtin import BuiltinResponder
from chat.responders.commands import Command, command_in
from memory.drafts import DOCUMENT
from memory.policy import AssessmentPolicy, PolicyDocument
from tests.chat.builtin_turns import NOW, answer, result

INES = (
    "I'm Ines",
    "I work as a vet in Porto",
    "have twin boys, Rui and Tomás, who are four",
    "My wife Clara is allergic to shellfish",
    "I hate mushrooms",
    "We moved here from Braga in 2021",
)
UNTOLD = "You haven't told me that."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what do I do for a living?", "You work as a vet in Porto."),
        ("what are my kids called?", "Have twin boys, Rui and Tomás"),
        ("¿cómo se llaman mis hijos?", "Have twin boys, Rui and Tomás"),
        ("where did I live before Porto?", "You moved here from Braga in 2021."),
    ],
)
def test_a_question_gets_one_short_sentence_and_the_memory(question: str, said: str) -> None:
    sentence, quotation = answer(question, *INES).split("\n\n")

    assert sentence.startswith(said)
    assert len(sentence) <= 160
    assert quotation.startswith("> “")
    assert quotation.endswith("(Feb. 18, 2026)")
    assert "%" not in quotation


@pytest.mark.parametrize("question", ["do I have a dog?", "what's my shoe size?"])
def test_what_nobody_told_is_not_guessed(question: str) -> None:
    assert answer(question, *INES) == UNTOLD
    assert answer(question) == UNTOLD


def test_it_answers_in_the_language_of_the_question() -> None:
    assert answer("我住在哪里？", "我住在杭州").startswith("你住在杭州。\n\n> “我住在杭州”")
    assert answer("我的鞋码是多少？", "我住在杭州") == "你还没有告诉过我这个。"
    assert answer("Wie heißt mein Hund?", "Ich wohne in Gent") == "Das hast du mir nicht gesagt."
    assert answer("Hoe heet mijn hond?", "Mijn hond heet Bas").startswith("Mijn hond heet Bas.")


def test_of_several_questions_each_is_answered() -> None:
    first, quoted, second = answer("What do I do for a living? What's my shoe size?", *INES).split(
        "\n\n"
    )

    assert first == "You work as a vet in Porto."
    assert "vet in Porto" in quoted
    assert second == f"{UNTOLD} (“What's my shoe size?”)"


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("write me a poem about the sea", "I need a language model for that."),
        ("hi there", "Tell me something worth remembering"),
        ("I moved to Lisbon in March", "Noted. I'll save what is worth remembering."),
        ("我三月搬到了里斯本", "知道了。"),
        ("Ho un figlio di tre anni", "Annotato."),
        ("who are you?", "I'm a program, not a language model."),
        ("你是怎么工作的？", "我是一个程序"),
    ],
)
def test_what_is_no_question_is_answered_briefly(said: str, reply: str) -> None:
    assert answer(said).startswith(reply)


def test_the_past_is_answered_by_what_was_true_then() -> None:
    was = result("I live in Lisbon", valid_to=NOW)
    was.contributions["past"] = 0.6

    said = answer("Where did I live before?", was, "I live in Porto")

    assert said.startswith("You live in Lisbon.")
    assert "true until Feb. 18, 2026" in said


def test_a_document_is_quoted_and_not_said_to_be_about_the_user() -> None:
    paper = result("I live in Lisbon", source_role=DOCUMENT, metadata={"document": "cv.pdf"})

    said = answer("where do I live?", paper)

    assert not said.startswith("You live")
    assert "from the document cv.pdf" in said


@pytest.mark.parametrize("content", ["I live in\n\n# Lisbon\n- now", "我 住 在\n里斯本"])
def test_a_memory_stays_one_quotation(content: str) -> None:
    said = answer("where do I live?", content)

    assert said.splitlines()[-1].startswith(f"> “{' '.join(content.split())}”")


def test_the_streamed_words_are_the_answer() -> None:
    turn = Turn([ChatMessage("user", "what do I hate?")], [result(one) for one in INES], NOW)

    async def chunks() -> list[object]:
        return [chunk async for chunk in BuiltinResponder().stream(turn)]

    *words, end = asyncio.run(chunks())
    said = "".join(word.text for word in words if isinstance(word, TextDelta))
    assert said == BuiltinResponder().answer(turn)
    assert len(words) > 3
    assert end == Finished("stop", None)


@pytest.mark.parametrize(
    ("memory", "said"),
    [("off", "Memory is off in this conversation"), ("read_only", "I won't save this message")],
)
def test_it_says_what_memory_does_in_the_conversation(memory: str, said: str) -> None:
    assert said in answer("I moved to Lisbon in March", memory=memory)


@pytest.mark.parametrize(
    ("question", "secret"),
    [
        ("What is my locker code?", True),
        ("我的门禁密码是多少？", True),
        ("What is my zip code?", False),
    ],
)
def test_nobody_is_asked_for_a_secret_that_would_be_masked(question: str, secret: bool) -> None:
    kept = PolicyDocument(assessment=AssessmentPolicy(mask_secrets=False))

    assert answer(question).startswith(("I don't keep secrets", "我不保存")) is secret
    assert answer(question, rules=kept).startswith((UNTOLD, "你还没有"))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("what do you know about me?", Command.LIST),
        ("你对我了解多少？", Command.LIST),
        ("What have I told you today?", Command.TODAY),
        ("Forget that I moved", Command.FORGET),
        ("Are you ChatGPT?", Command.WHO_ARE_YOU),
        ("what do you know about Lisbon?", None),
        ("Don't forget that I moved", None),
        ("my boss asked: are you a robot?", None),
    ],
)
def test_commands_are_recognised(text: str, command: Command | None) -> None:
    assert command_in(text) is command
