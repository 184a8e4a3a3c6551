"""The rule without a model: same statements, replacements and new statements."""

from datetime import UTC, datetime

import pytest

from memory.models import Memory
from memory.recall.similar import Neighbour
from memory.reconciliation.rules import Verdict, decide, echoes, patched


def known(content: str, memory_type: str = "fact", *, core: bool = False) -> Memory:
    return Memory(content=content, memory_type=memory_type, core=core)


@pytest.mark.parametrize(
    ("old", "new", "similarity", "verdict"),
    [
        ("I'm allergic to penicillin", "I'm allergic to penicillin", 1.0, "reinforce"),
        ("I'm allergic to penicillin", "I am allergic to penicillin!", 0.97, "reinforce"),
        ("I am allergic to penicillin", "I have a penicillin allergy", 0.93, "reinforce"),
        (
            "My sister lives in Porto with two kids",
            "My sister is living in Porto with two kids",
            0.97,
            "reinforce",
        ),
        ("我对青霉素过敏", "我对青霉素过敏。", 1.0, "reinforce"),
        ("我对青霉素过敏", "请记住：我对青霉素过敏", 0.9, "reinforce"),
        ("I'm allergic to nuts", "Please remember that I'm allergic to nuts.", 0.9, "reinforce"),
        ("Don't forget that I like tea", "I like tea", 0.9, "reinforce"),
        # The same words, another fact.
        ("My order is number 100001", "My order is number 100002", 0.98, "add"),
        ("My sister is called Christina", "My sister is called Christian", 0.95, "add"),
        ("My sister is called Ana", "My sister is called Eva", 0.85, "add"),
        ("I'm allergic to penicillin", "I'm allergic to penicillin and peanuts", 0.9, "add"),
        ("我对青霉素过敏", "我对花生过敏", 0.9, "add"),
        # A small model cannot tell these apart: to it unknown characters are one.
        ("用户喜欢吃辣", "用户很喜欢吃辣", 1.0, "reinforce"),
        ("用户喜欢吃辣", "用户喜欢吃甜", 1.0, "add"),
        ("用户喜欢吃辣", "用户喜欢吃辣椒", 1.0, "add"),
        ("用户养了一只猫", "用户养了一只狗", 1.0, "add"),
        ("我喜欢吃辣", "他喜欢吃辣", 0.9, "add"),
        ("사용자는 매운 음식을 좋아한다", "사용자는 단 음식을 좋아한다", 0.95, "add"),
        ("I like dark chocolate a lot", "I like milk chocolate a lot", 0.9, "add"),
        ("I like tea", "Berlin is cold in winter", 0.1, "add"),
        # The old one is over.
        ("I'm allergic to penicillin", "I'm not allergic to penicillin", 0.95, "supersede"),
        ("The meeting is at 2 pm", "The meeting is at 3 pm", 0.97, "supersede"),
        ("用户的生日是五月三日", "用户的生日是六月三日", 0.96, "supersede"),
        (
            "My sister has sixteen cats at home",
            "My sister has sixty cats at home",
            0.9,
            "supersede",
        ),
        ("7 am is when I get up", "8 am is when I get up", 0.9, "supersede"),
        ("I moved to Lisbon in March", "I moved from Lisbon to Porto", 0.6, "supersede"),
        ("I eat meat every day", "I no longer eat meat", 0.7, "supersede"),
        ("我住在里斯本", "我从里斯本搬到了波尔图", 0.6, "supersede"),
        ("I drink coffee", "I drink tea instead of coffee", 0.7, "supersede"),
        ("User uses VS Code", "I switched from VS Code to Neovim", 0.6, "supersede"),
        ("User is vegetarian", "I am no longer vegetarian", 0.7, "supersede"),
        ("User plays tennis", "I quit tennis", 0.7, "supersede"),
        ("User smokes", "I stopped smoking", 0.7, "supersede"),
        ("用户喜欢吃辣", "我不再吃辣", 0.5, "supersede"),
        ("用户抽烟", "我戒了烟", 0.6, "supersede"),
        # It names something else, or is not about this.
        ("I like Madrid", "I moved from Lisbon to Porto", 0.5, "add"),
        ("I moved to Lisbon in March", "I moved from Lisbon to Porto", 0.1, "add"),
        ("User lives in Lisbon", "I took the train from Lisbon to Madrid", 0.6, "add"),
        ("User loves Lisbon", "Flight from Lisbon to Rome is on Friday", 0.5, "add"),
        ("User lives in Lisbon", "I stopped in Lisbon", 0.7, "add"),
        ("User takes the train from Lisbon to Porto", "I moved from Lisbon to Porto", 0.8, "add"),
        ("User's brother plays tennis", "I quit tennis", 0.5, "add"),
        ("用户的妹妹在公司旁边抽烟", "我戒了烟", 0.5, "add"),
        # Two facts in one: the other one must stay.
        (
            "I'm allergic to penicillin and I moved to Lisbon in March",
            "I moved from Lisbon to Porto",
            0.5,
            "revise",
        ),
        ("User lives in Tokyo and works at Sony", "I moved from Tokyo to Osaka", 0.5, "revise"),
        ("用户住在东京并在索尼工作", "我从东京搬到了大阪", 0.5, "revise"),
    ],
)
def test_decide_by_table(old: str, new: str, similarity: float, verdict: str) -> None:
    decision = decide(new, "fact", [Neighbour(known(old), similarity)])
    assert decision.verdict == verdict
    assert (decision.memory is None) == (verdict == "add")


@pytest.mark.parametrize(
    ("old", "ended"),
    [
        ("I eat meat every day", "I no longer eat meat"),
        ("I have a job at Siemens", "I quit my job at Siemens"),
    ],
)
def test_a_long_answer_ends_no_fact(old: str, ended: str) -> None:
    fact = Neighbour(known(old), 0.7)
    answer = f"{ended}. " + "Some of this is about cooking, and some about trains. " * 6

    assert decide(ended, "fact", [fact]).verdict is Verdict.SUPERSEDE
    assert decide(answer, "fact", [fact]).verdict is Verdict.ADD


def test_core_memory_is_revised_not_superseded() -> None:
    """Seed 003, 1.5: 不走自动合并规则，直接交给 AI 修改旧记忆内容（括号补丁）."""
    core = known("I eat meat every day", "preference", core=True)
    decision = decide("I no longer eat meat", "preference", [Neighbour(core, 0.7)])
    assert decision.verdict is Verdict.REVISE


def test_what_a_person_pinned_is_revised_not_superseded() -> None:
    pinned = Memory(content="I eat meat every day", memory_type="preference", pinned=True)
    decision = decide("I no longer eat meat", "preference", [Neighbour(pinned, 0.7)])
    assert decision.verdict is Verdict.REVISE


def test_restatement_of_another_type_is_new() -> None:
    decision = decide(
        "I am fond of pizza", "preference", [Neighbour(known("I am so fond of pizza"), 0.95)]
    )
    assert decision.verdict is Verdict.ADD


def test_restatement_without_a_type_is_compared_with_any() -> None:
    pizza = Neighbour(known("I am so fond of pizza", "preference"), 0.95)
    assert decide("I am fond of pizza", None, [pizza]).verdict is Verdict.REINFORCE


def test_patch_keeps_both_and_names_the_day() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    assert patched("I eat meat", "I no longer eat meat", now) == (
        "I eat meat [2026-03-01: I no longer eat meat]"
    )


@pytest.mark.parametrize(
    ("old", "said", "similarity", "echo"),
    [
        ("User lives in Lisbon", "User lives in Lisbon.", 0.1, True),
        ("User lives in Lisbon", "You told me of a life in Lisbon", 0.7, True),
        ("User lives in Lisbon", "You live in Porto", 0.8, False),
        ("User lives in Lisbon", "You have lived in Lisbon for 3 years", 0.8, False),
        ("User lives in Lisbon", "The weather is fine", 0.2, False),
    ],
)
def test_echo_is_near_and_names_nothing_new(
    old: str, said: str, similarity: float, echo: bool
) -> None:
    assert echoes(said, Neighbour(known(old), similarity)) is echo
