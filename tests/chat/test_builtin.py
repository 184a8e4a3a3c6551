"""The built-in responder: it answers from what it recalled, and never pretends to be a model."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from assessor.llm import ChatMessage, Finished, TextDelta
from chat.responders.base import Turn
from chat.responders.builtin import BuiltinResponder
from memory.models import Memory
from memory.recall import Result

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)
LISBON = "User moved to Lisbon in March"


def result(content: str, similarity: float = 0.6, score: float | None = None) -> Result:
    memory = Memory(id=uuid4(), short_id="f926ff7f", content=content, created_at=NOW)
    return Result(memory, similarity, similarity if score is None else score, {}, {})


def answer(question: str, *results: Result, earlier: int = 1) -> str:
    history = [ChatMessage("user", "before")] * earlier + [ChatMessage("user", question)]
    return BuiltinResponder().answer(Turn(history, results, NOW))


@pytest.mark.parametrize(
    "question", ["where do I live?", "Where do I live", "我住在哪里？", "do I have allergies"]
)
def test_a_question_is_answered_from_memory_with_date_and_match(question: str) -> None:
    said = answer(question, result(LISBON, 0.62))
    assert f"“{LISBON}”" in said
    assert "Feb. 18, 2026" in said
    assert "62% match" in said


@pytest.mark.parametrize("results", [(), (result("User likes tea", 0.05),)])
def test_a_question_without_a_fitting_memory_is_asked_back(results: tuple[Result, ...]) -> None:
    said = answer("where do I live?", *results)
    assert "I remember nothing that fits. Tell me" in said
    assert "tea" not in said


def test_only_what_scores_close_to_the_best_is_said() -> None:
    said = answer("where do I live?", result(LISBON, 0.6, 0.9), result("User likes tea", 0.3, 0.2))
    assert LISBON in said
    assert "tea" not in said


def test_a_statement_is_passed_on_to_be_judged() -> None:
    assert "passed that on to be judged" in answer("I moved to Lisbon in March")


def test_it_says_what_it_is_when_a_conversation_begins() -> None:
    assert answer("hello there", earlier=0).startswith(
        "*I am Ebb’s built-in responder: no language"
    )
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
    ("memory", "said"), [("off", "I look nothing up"), ("read_only", "I will not keep that")]
)
def test_it_says_what_memory_does_in_the_conversation(memory: str, said: str) -> None:
    turn = Turn([ChatMessage("user", "I moved to Lisbon in March")], [], NOW, memory)
    assert said in BuiltinResponder().answer(turn)
