"""The rubric `facts`: what a model is asked, and which of its facts are kept."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from assessor.assessing import SURELY, SURELY_NOT, Exchange, assess_locally
from assessor.language_model import facts
from assessor.llm import ChatMessage
from assessor.local import worth_of
from tests.assessor.test_assessing import assessed
from tests.stub_model import StubModel

DATA = tomllib.loads(Path(facts.__file__).with_suffix(".toml").read_text("utf-8"))
RUI = "My cousin Rui keeps bees in Braga, and I'm allergic to honey"
SLOW = "my phone is slow today"  # the reader is unsure whether to keep this


def answer(*found: tuple[float, str, str]) -> str:
    """A model's answer with these facts: importance, type, text."""
    names = ("importance", "type", "text")
    told = [dict(zip(names, fact, strict=True)) for fact in found]
    return "reply:" + json.dumps({"facts": told}, ensure_ascii=False)


def by_facts(stub: StubModel, message: str, **options: Any) -> Any:
    return assessed(stub, message, rubric="facts", **options)


def shared(one: list[ChatMessage], other: list[ChatMessage]) -> int:
    return next(i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])


def test_the_prompt_is_short_and_what_is_static_stands_first() -> None:
    assert 90 <= len(facts.SYSTEM.split()) <= 120
    german = facts.question("Ich wohne in Köln und mag meinen Garten", [])
    chinese = facts.question("我喜欢我的花园", [])
    assert len(german) == len(chinese) == 2 + 2 * 9
    assert shared(german, chinese) == 1 + 2 * 8, "a server's cache ends where prompts differ"


def test_the_last_example_is_in_the_language_of_the_message() -> None:
    for example in DATA["own"]:
        *_, asked, _, _ = facts.question(example["message"], [])
        assert asked.content == f"Message: {example['message']}"
    for message, own in (
        ("Ich wohne in Köln und mag meinen Garten", "Tochter"),
        ("Je suis infirmière et j'habite à Lille", "violon"),
        ("Tengo una hermana en Bogotá", "Trabajo"),
        ("Меня зовут Олег, я инженер", "колено"),
        ("私は毎朝走っています", "京都"),
        ("저는 서울에서 일해요", "땅콩"),
        ("我住在成都", "成都"),
        ("I live in Oslo with my dog", "vegetarian"),
    ):
        assert own in facts.question(message, [])[-3].content, message


def test_a_short_answer_is_shown_with_its_question() -> None:
    earlier = ["I have a garden", "Lovely! What do you grow?"]
    *_, asked = facts.question("mostly beans", earlier)
    assert asked.content == "Asked before: What do you grow?\nMessage: mostly beans"
    *_, asked = facts.question("I moved to a small flat in Oslo with my two dogs", earlier)
    assert "Asked before" not in asked.content
    *_, asked = facts.question("mostly beans", ["I have a garden"])
    assert asked.content == "Message: mostly beans"


def test_the_request_is_bounded(stub_model: StubModel) -> None:
    by_facts(stub_model, RUI)
    body = stub_model.requests[-1].body
    assert (body["max_tokens"], body["temperature"]) == (400, 0)
    found = body["response_format"]["json_schema"]["schema"]["properties"]["facts"]
    assert found["maxItems"] == 6
    fact = found["items"]["properties"]
    assert list(fact) == ["importance", "type", "text"]
    assert fact["text"]["maxLength"] == 200
    assert (fact["importance"]["minimum"], fact["importance"]["maximum"]) == (0.0, 1.0)


@pytest.mark.parametrize("rubric", ["graded", "facets"])
def test_the_seeds_rubrics_are_bounded_too(stub_model: StubModel, rubric: str) -> None:
    assessed(stub_model, RUI, rubric=rubric)
    body = stub_model.requests[-1].body
    fields = body["response_format"]["json_schema"]["schema"]["properties"]
    scores = ["importance"] if rubric == "graded" else ["P", "valence", "intensity", "I", "J"]
    assert list(fields) == [*scores, "memory_type", "summary", "tags", "topics", "reasoning"]
    texts = [fields["summary"], fields["reasoning"], fields["tags"]["items"]]
    assert all("maxLength" in text for text in texts)
    assert all({"minimum", "maximum"} <= set(fields[score]) for score in scores)
    assert body["max_tokens"]


def test_several_facts_are_one_memory_of_the_greatest_importance(stub_model: StubModel) -> None:
    stub_model.script(
        answer(
            (0.6, "fact", "My cousin Rui keeps bees in Braga"),
            (0.9, "identity", "I'm allergic to honey"),
            (0.9, "identity", "I'm allergic to honey"),  # as the real model was seen to answer
        )
    )
    result = by_facts(stub_model, RUI)
    assert result.summary == "My cousin Rui keeps bees in Braga.\nI'm allergic to honey."
    assert (result.importance, result.memory_type) == (0.9, "identity")
    assert (result.rubric, result.prompt_version, result.provider) == ("facts", "facts-1", "llm")


def test_a_fact_that_nobody_said_is_left_out(stub_model: StubModel) -> None:
    stub_model.script(
        answer((0.9, "identity", "I'm Sam"), (0.7, "fact", "I'm allergic to honey")),
        answer((0.9, "identity", "I'm Sam and I live in Oslo")),
    )
    assert by_facts(stub_model, RUI).summary == "I'm allergic to honey."

    fallen_back = by_facts(stub_model, RUI)
    assert (fallen_back.provider, fallen_back.fallback_reason) == ("local", "ungrounded")
    assert "Sam" not in fallen_back.summary


def least(stub: StubModel) -> int:
    """Return how many facts the model had to find at least."""
    found = stub.requests[-1].body["response_format"]["json_schema"]["schema"]["properties"]
    return int(found["facts"]["minItems"])


def test_no_fact_has_no_importance(stub_model: StubModel) -> None:
    stub_model.script(answer())
    assert SURELY_NOT <= worth_of(SLOW) < SURELY
    result = by_facts(stub_model, SLOW)
    assert least(stub_model) == 0
    assert (result.importance, result.summary, result.reasoning) == (
        0.0,
        SLOW,
        "The language model found nothing to remember.",
    )


def test_a_model_does_not_overlook_what_a_message_surely_tells(stub_model: StubModel) -> None:
    stub_model.script(answer())
    result = by_facts(stub_model, RUI)
    assert least(stub_model) == 1
    assert (result.provider, result.fallback_reason) == ("local", "ungrounded")
    assert (result.importance, result.raw_answer) == (
        assess_locally(Exchange(RUI)).importance,
        '{"facts": []}',
    )


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("Write me a story about a knight who keeps bees", True),
        ("Could you write me a short poem about autumn?", True),
        ("Comment dit-on « j'ai faim » en anglais ?", True),
        ("If I won the lottery, I would buy a boat", True),
        ("Remind me to call Ana tomorrow", False),
        ("Who painted the Mona Lisa?", True),
        ("Wie hoch ist die Zugspitze?", True),
        ("帮我写一首关于秋天的诗", True),
        ("长城有多长？", True),
        ("I'm vegetarian, what can I cook tonight?", False),
        ("我是护士，经常上夜班，怎样才能睡好？", False),
        ("I work nights. How do I sleep better?", False),
        (RUI, False),
    ],
)
def test_a_message_that_only_asks_is_not_sent_to_a_model(
    stub_model: StubModel, message: str, asks: bool
) -> None:
    assert (worth_of(message) < SURELY_NOT) is asks
    result = by_facts(stub_model, message)
    assert len(stub_model.requests) == (0 if asks else 1)
    if asks:
        assert (result.importance, result.reasoning) == (0.0, "It only asks for something.")
