"""Utterances: their kind, their language, and what is asked for, by their words."""

import tomllib
from pathlib import Path

import pytest

from chat.responders.kinds import Kind
from chat.responders.utterances import asked_back, holds_what_is_asked, kind_of, language_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hello", Kind.GREETING),
        ("你好！", Kind.GREETING),
        ("Hello, I moved to Lisbon in March", Kind.STATEMENT),
        ("thanks!", Kind.THANKS),
        ("好的，谢谢", Kind.THANKS),
        ("谢谢", Kind.THANKS),
        ("Good coffee is what I live for", Kind.STATEMENT),
        ("what do you know about me?", Kind.EVERYTHING),
        ("What have I told you today?", Kind.TODAY),
        ("what did I say today", Kind.TODAY),
        ("我今天告诉了你什么？", Kind.TODAY),
        ("我今天跟你说了些什么", Kind.TODAY),
        ("What did I eat today?", Kind.QUESTION),
        ("what do you know about my sister?", Kind.QUESTION),
        ("你记得我什么？", Kind.EVERYTHING),
        ("你还记得我的猫吗？", Kind.QUESTION),
        ("Are you ChatGPT?", Kind.WHO_ARE_YOU),
        ("你是谁？", Kind.WHO_ARE_YOU),
        ("你是ChatGPT吗？", Kind.WHO_ARE_YOU),
        ("forget that I like tea", Kind.FORGET),
        ("忘掉我的牙医预约", Kind.FORGET),
        ("I forget names", Kind.STATEMENT),
        ("Please write me a poem", Kind.TASK),
        ("帮我写一首诗", Kind.TASK),
        ("I write poems", Kind.STATEMENT),
        ("where do I live", Kind.QUESTION),
        ("remind me when my flight leaves", Kind.QUESTION),
        ("告诉我我妹妹的事", Kind.QUESTION),
        ("我吃辣吗", Kind.QUESTION),
        ("我不再吃辣了", Kind.STATEMENT),
        ("I moved to Lisbon. Do I like it?", Kind.QUESTION),
        ("...", Kind.STATEMENT),
        ("", Kind.STATEMENT),
        ("Good morning! How are you?", Kind.GREETING),
        ("hello, I am Anna", Kind.STATEMENT),
        ("Good night", Kind.FAREWELL),
        ("ok cool, bye", Kind.FAREWELL),
        ("晚安", Kind.FAREWELL),
        ("ok", Kind.ACKNOWLEDGEMENT),
        ("lol", Kind.ACKNOWLEDGEMENT),
        ("brb", Kind.ACKNOWLEDGEMENT),
        ("😂", Kind.ACKNOWLEDGEMENT),
        ("好吧", Kind.ACKNOWLEDGEMENT),
        ("yes", Kind.STATEMENT),
        ("No, that's wrong.", Kind.DENIAL),
        ("No, I moved to Porto", Kind.STATEMENT),
        ("Thanks, that's right!", Kind.THANKS),
        ("Can you shorten this for me?", Kind.TASK),
        ("Could you recommend a restaurant for Friday?", Kind.TASK),
        ("I moved to Lisbon. Write me a poem about it.", Kind.TASK),
        ("Recommend me a film", Kind.TASK),
        ("晚饭帮我推荐个菜吧", Kind.TASK),
        ("医生帮我推荐的药很好", Kind.STATEMENT),
        ("Call me Theo", Kind.STATEMENT),
        ("Tell me a joke", Kind.TASK),
        ("Tell me something about my sister", Kind.QUESTION),
        ("Tell me about my nephew", Kind.QUESTION),
        ("提醒我明天交报告", Kind.STATEMENT),
    ],
)
def test_what_an_utterance_wants(text: str, kind: Kind) -> None:
    assert kind_of(text) is kind


def read_messages(name: str) -> list[tuple[str, Kind]]:
    kinds = tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))
    return [(text, Kind[kind.upper()]) for kind, texts in kinds.items() for text in texts]


@pytest.mark.parametrize(("text", "kind"), read_messages("utterances.toml"))
def test_messages_are_classified_as_meant(text: str, kind: Kind) -> None:
    assert kind_of(text) is kind


def test_most_unseen_messages_are_classified_as_meant() -> None:
    meant = read_messages("utterances_held_out.toml")
    wrong = [(text, kind_of(text)) for text, kind in meant if kind_of(text) is not kind]
    assert len(wrong) <= 0.1 * len(meant), wrong


@pytest.mark.parametrize(
    ("question", "back"),
    [
        ("Where do I live?", "where do you live?"),
        ("how old am I", "how old are you?"),
        ("Was I in Porto with my sister?", "were you in Porto with your sister?"),
        ("What’s mine?", "what’s yours?"),
        ("我住在哪里？", "你住在哪里？"),
        ("我们的猫叫什么", "你们的猫叫什么？"),
        ("what is the capital of France?", ""),
        ("do you remember my cat?", ""),
        ("I moved. Where do I live?", ""),
        ("你记得我的猫吗？", ""),
        ("where do I " + "really " * 20 + "live?", ""),
    ],
)
def test_a_question_is_turned_to_the_one_who_asks(question: str, back: str) -> None:
    assert asked_back(question) == back


def test_what_is_asked_for_is_looked_for() -> None:
    assert holds_what_is_asked("how many kids has Ana?", "My sister Ana has two kids") is True
    assert holds_what_is_asked("我几点看牙医？", "我周五上午十点看牙医") is True
    assert holds_what_is_asked("我的电话号码是多少？", "我的猫叫米粒") is False
    assert holds_what_is_asked("what's my cat called?", "I like tea") is None


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["我住在哪里？"], "zh-hans"),
        (["我住在哪里？", "why?"], "en"),
        (["我住在哪里？", "???"], "zh-hans"),
        (["どこに住んでいますか"], "en"),
        (["Wo wohne ich?"], "en"),
        (["...", "42"], "zh-hans"),
        ([], "zh-hans"),
    ],
)
def test_it_answers_in_the_language_of_who_asks_else_of_the_space(
    texts: list[str], language: str
) -> None:
    assert language_of(texts, "zh-hans") == language
