"""The built-in responder: it answers from what it recalled, and never pretends to be a model."""

import asyncio

import pytest

from assessor.llm import ChatMessage, Finished, TextDelta
from chat.responders.base import Turn
from chat.responders.builtin import BuiltinResponder
from memory.policy import AssessmentPolicy, PolicyDocument
from memory.recall.results import Result
from tests.chat.builtin_turns import LISBON, NOW, answer, result


@pytest.mark.parametrize(
    ("question", "first", "noted"),
    [
        (
            "where do I live?",
            "You told me before:",
            "1 month ago, Jan. 9, 2026, 62% match",
        ),
        (
            "Where do I live",
            "You told me before:",
            "1 month ago, Jan. 9, 2026, 62% match",
        ),
        (
            "do I have allergies",
            "You told me before:",
            "1 month ago, Jan. 9, 2026, 62% match",
        ),
        ("我住在哪里？", "你以前告诉过我：", "1个月前, 2026年1月9日, 匹配 62%"),
    ],
)
def test_a_question_is_answered_from_memory_with_age_date_and_match(
    question: str, first: str, noted: str
) -> None:
    said = answer(question, result(LISBON, 0.62, days=40))
    assert said == f"{first}\n\n- “{LISBON}” ({noted})"


@pytest.mark.parametrize("results", [(), (result("User likes tea", 0.05),)])
def test_a_question_without_a_fitting_memory_is_asked_back(results: tuple[Result, ...]) -> None:
    said = answer("where do I live?", *results)
    assert said.endswith(
        "I don't have anything about that. If you tell me, I'll know next time: where do you live?"
    )
    assert "tea" not in said


def test_only_what_scores_close_to_the_best_is_said() -> None:
    said = answer("where do I live?", result(LISBON, 0.6, 0.9), result("User likes tea", 0.3, 0.2))
    assert LISBON in said
    assert "tea" not in said


def test_a_statement_is_passed_on_to_be_assessed() -> None:
    said = answer("I moved to Lisbon in March")
    assert "Noted. I'll save what is worth remembering." in said


def test_it_says_what_it_is_when_a_conversation_begins() -> None:
    assert answer("hello there", earlier=0).startswith("*I'm Ebb's built-in responder. No language")
    assert "built-in" not in answer("hello there", earlier=1)
    assert BuiltinResponder.label == "built-in"


@pytest.mark.parametrize("content", ["a\n\n# b\n- c", "我 住 在\n里斯本"])
def test_a_memory_stays_one_item_of_the_list(content: str) -> None:
    said = answer("where do I live?", result(content))
    assert said.splitlines()[-1].startswith(f"- “{' '.join(content.split())}”")


@pytest.mark.parametrize(
    "content", [LISBON, "用户三月搬到了里斯本", "日本 mixed 漢字 かな 한국어 🌊"]
)
def test_the_streamed_words_are_the_answer(content: str) -> None:
    turn = Turn([ChatMessage("user", "where do I live?")], [result(content)], NOW)

    async def chunks() -> list[object]:
        return [chunk async for chunk in BuiltinResponder().stream(turn)]

    *words, end = asyncio.run(chunks())
    assert "".join(w.text for w in words if isinstance(w, TextDelta)) == BuiltinResponder().answer(
        turn
    )
    assert len(words) > 10
    assert end == Finished("stop", None)


@pytest.mark.parametrize(
    ("memory", "said"),
    [("off", "Memory is off in this conversation"), ("read_only", "I won't save this message")],
)
def test_it_says_what_memory_does_in_the_conversation(memory: str, said: str) -> None:
    turn = Turn([ChatMessage("user", "I moved to Lisbon in March")], [], NOW, memory)
    assert said in BuiltinResponder().answer(turn)


SCHOOL, DENTIST = "My daughter's school begins at 8:30", "Dentist on Friday at 9"


@pytest.mark.parametrize(
    ("question", "said", "open_question"),
    [
        # as measured with MiniLM: how well each fits is told of both together
        ("Where do I live, and when does school start?", ["I live in Lisbon", SCHOOL], ""),
        ("When does school start? And where do I live?", [SCHOOL, "I live in Lisbon"], ""),
        ("Where do I live and who is my doctor?", ["I live in Lisbon"], "who is my doctor?"),
        ("when and where does school start?", [SCHOOL], ""),
        ("  do you know it?  ", [SCHOOL], ""),
    ],
)
def test_of_several_questions_each_is_answered(
    question: str, said: list[str], open_question: str
) -> None:
    found = [
        result(SCHOOL, 0.65, 0.6, words=0.2),
        result("I live in Lisbon", 0.32, 0.3, words=0.1),
        result(DENTIST, 0.18, 0.15),
    ]
    first, memories, *rest = answer(question, *found).split("\n\n")
    assert first == "You told me before:"
    assert [line.split("”")[0].removeprefix("- “") for line in memories.splitlines()] == said
    assert rest == ([f"I'm not sure about: {open_question}"] if open_question else [])


SURE, UNSURE = "You told me before:", "I'm not certain, but this may help:"
ASKS = "I don't have anything about that"
ANA = "My sister Ana lives in Porto and has two kids"


@pytest.mark.parametrize(
    ("question", "memory", "similarity", "words", "said"),
    [
        # as measured with MiniLM, beside ten memories
        ("where do I live?", "I moved to Lisbon in March", 0.34, 0.0, UNSURE),
        ("What's my sister's name?", ANA, 0.43, 0.18, SURE),
        ("which medicine must I avoid?", "I am allergic to penicillin", 0.44, 0.0, UNSURE),
        ("do I have any allergies?", "I am allergic to penicillin", 0.51, 0.0, SURE),
        ("when do I fly?", "My flight to Oslo leaves on 3 May at 7:40", 0.49, 0.0, UNSURE),
        ("when does my flight leave?", "My flight leaves on 3 May", 0.63, 0.4, SURE),
        ("what is my brother's name?", "My cat is called Miso", 0.37, 0.0, UNSURE),
        ("do I like opera?", "I like my coffee black", 0.17, 0.18, ASKS),
        ("what is the capital of France?", ANA, 0.2, 0.0, ASKS),
        # A number, a time, a place is asked for, and there is none in it.
        ("how old am I?", "I decided to sell the car", 0.4, 0.0, ASKS),
        ("what is my phone number?", "My phone is red", 0.7, 0.3, UNSURE),
        ("when do I see the dentist?", "The dentist has a red chair", 0.6, 0.4, UNSURE),
        ("where is the key?", "The key opens the shed door", 0.6, 0.4, UNSURE),
        ("where do I live?", "I moved to Lisbon in March", 0.25, 0.0, UNSURE),
        # MiniLM knows no Chinese: any two sentences are alike, only common words tell.
        ("我对什么药过敏？", "我对青霉素过敏", 0.71, 0.17, "你以前告诉过我："),
        ("我最喜欢的电影是什么？", "我的猫叫米粒", 0.9, 0.0, "我没有这方面的记忆。告诉我"),
        ("法国的首都是哪里？", "我的猫叫米粒", 0.9, 0.0, "我没有这方面的记忆。我只知道"),
        # Nor is what it finds between the two languages more than chance.
        ("我住在哪里？", "Mara listens to piano music", 0.21, 0.0, "我没有这方面的记忆。告诉我"),
        ("where do I live?", "我喜欢在海边散步", 0.27, 0.0, ASKS),
    ],
)
def test_how_sure_it_is_of_a_memory(
    question: str, memory: str, similarity: float, words: float, said: str
) -> None:
    reply = answer(question, result(memory, similarity, words=words))
    assert reply.startswith(said)
    assert (memory in reply) == (said in {SURE, UNSURE, "你以前告诉过我："})


def test_in_doubt_the_most_similar_comes_first() -> None:
    said = answer(
        "where is my home?",
        result(ANA, 0.28, 0.71, words=0.25),
        result("I moved to Lisbon in March", 0.34, 0.41),
    )
    assert said.index("Lisbon") < said.index("Porto")


@pytest.mark.parametrize(
    ("said", "memory", "similarity", "words", "also"),
    [
        ("I like tea", "I like tea", 1.0, 0.5, "You already told me:"),
        ("My sister Ana got a third child", ANA, 0.61, 0.2, "Related:"),
        ("I started learning the cello", ANA, 0.3, 0.0, ""),
        ("我妹妹小雨毕业了", "我妹妹小雨在北京上大学", 0.73, 0.3, "相关的记忆："),
        ("我开始学大提琴了", "我的猫叫米粒", 0.9, 0.0, ""),
    ],
)
def test_a_statement_is_taken_note_of_beside_what_it_goes_with(
    said: str, memory: str, similarity: float, words: float, also: str
) -> None:
    reply = answer(said, result(memory, similarity, words=words))
    assert reply.startswith(("Noted. I'll save what ", "知道了。值得记住的"))
    assert (memory in reply) == bool(also)
    assert also in reply


def test_the_space_decides_where_the_words_do_not() -> None:
    rules = PolicyDocument(language="zh")
    assert (
        BuiltinResponder()
        .answer(Turn([ChatMessage("user", "42")], [], NOW, rules=rules))
        .startswith("*我是 Ebb 的内置应答器")
    )


def test_it_says_that_it_cannot_follow_a_prompt_or_do_a_task() -> None:
    first = answer("hello", earlier=0, system_prompt="You are a pirate.")
    assert "system prompt for a language model. I can't follow it." in first
    assert "pirate" not in first
    assert "system prompt" not in answer("hello", system_prompt="You are a pirate.")
    assert (
        answer("write me a poem")
        == "I need a language model for that. Connect one in Settings → Models."
    )
    for question in ("Are you ChatGPT?", "who are you?", "How do you work?"):
        assert "not a language model" in answer(question)
    assert "不是语言模型" in answer("你是怎么工作的？")


def test_everything_is_a_beginning_of_what_it_remembers() -> None:
    said = answer("what do you know about me?", result(ANA, 0.1), result(LISBON, 0.05))
    assert ANA in said
    assert LISBON in said
    assert "Nothing yet." in answer("what do you know about me?")


def test_where_memory_is_only_read_it_promises_nothing() -> None:
    assert "next time" not in answer("where do I live?", memory="read_only")


def test_a_refused_task_is_never_quoted() -> None:
    haiku = result("write me a haiku", similarity=0.95, words=0.5, relevance=0.9)

    for said in (
        "write me a haiku",
        "what is a haiku?",
        "what do you know about me?",
        "I like haiku",
    ):
        assert "“write me a haiku”" not in answer(said, haiku)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("ok cool, bye", "Goodbye."),
        ("晚安", "再见。"),
        ("lol", "OK."),
        ("No, that's wrong.", "Tell me what is right, or edit the memory on the Memories page."),
        ("不对", "请告诉我正确的内容，或在“记忆”页面编辑这条记忆。"),
    ],
)
def test_small_talk_is_answered_briefly(said: str, reply: str) -> None:
    assert answer(said, result(ANA, 0.9)) == reply


def test_a_relevant_and_similar_memory_is_quoted_whatever_is_asked_for() -> None:
    diagnosis = result("My mother was diagnosed with arthritis", 0.29, relevance=0.4)
    husband = result("My husband Tom and I have two kids", 0.31, relevance=0.69)
    name = result("My name is Lena", 0.17, relevance=0.66)

    assert answer("What do you know about my family?", husband, diagnosis).startswith(SURE)
    assert answer("Tell me about my family", diagnosis).startswith(UNSURE)
    assert "Lena" not in answer("What do you know about my family?", name)
    assert ASKS in answer("when did we meet?", result("My husband likes tea", 0.2, relevance=0.69))


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("Do I live in Paris?", "If I lived in Paris, I would eat croissants every day"),
        ("where do I live?", "If I lived in Paris, I would eat croissants every day"),
        ("我住在巴黎吗？", "如果我住在巴黎，我会每天吃羊角面包"),
    ],
)
def test_a_supposition_is_no_answer(question: str, memory: str) -> None:
    assert memory not in answer(question, result(memory, 0.8, words=0.5, relevance=0.9))


def test_a_supposition_answers_what_would_be() -> None:
    memory = "If I lived in Paris, I would eat croissants every day"
    found = result(memory, 0.8, words=0.5, relevance=0.9)

    assert memory in answer("What would I eat if I lived in Paris?", found)


@pytest.mark.parametrize(
    ("question", "secret"),
    [
        ("What is my locker code?", True),
        ("what's the wifi password?", True),
        ("tell me my card's PIN", True),
        ("我的门禁密码是多少？", True),
        ("What is my zip code?", False),
        ("How often do I change my password?", False),
        ("What's the password for the wifi?", True),
        ("What is my secret project called?", False),
        ("What is the secret ingredient of my soup?", False),
        ("What is the code name of my project?", False),
        ("What is my code review about?", False),
        ("What password manager do I use?", False),
    ],
)
def test_nobody_is_asked_for_a_secret_that_would_be_masked(question: str, secret: bool) -> None:
    said = answer(question)

    assert said.startswith(("I don't keep secrets", "我不保存")) is secret
    assert ("next time" in said or "下次" in said) is not secret


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What is my secret project called?", "User's secret project is called Bluebird"),
        ("what's the wifi password?", "The wifi password is on a note in the kitchen"),
    ],
)
def test_what_recall_found_comes_before_the_answer_about_secrets(
    question: str, memory: str
) -> None:
    for found in (result(memory, 0.8, words=0.5, relevance=0.9), result(memory, 0.5, words=0.3)):
        said = answer(question, found)
        assert memory.removeprefix("User's") in said
        assert "I don't keep secrets" not in said


def test_where_secrets_are_kept_they_are_asked_for() -> None:
    rules = PolicyDocument(assessment=AssessmentPolicy(mask_secrets=False))

    assert "next time" in answer("What is my locker code?", rules=rules)
