"""A connected model summarises small memories; what no source supports is left out."""

import json

import pytest
from pytest_django import Settings

from accounts.models import Space
from memory.models import Job, ModelUsage
from tests.memory.consolidation.runs import MOVING, episode, proposals, run
from tests.memory.writing import set_policy
from tests.stub_model import StubModel

pytestmark = pytest.mark.django_db

TRAINED = "User began to train with Coach Ines for the Valencia marathon in March"
SHOES = "User bought Falcon running shoes for 120 euros"
INVENTED = "User won the Valencia marathon in May"


@pytest.fixture
def model(stub_model: StubModel, settings: Settings) -> StubModel:
    settings.OPENAI_BASE_URL = stub_model.base_url
    settings.EBB_ASSESSOR_MODEL = "stub"
    return stub_model


def answer(*sentences: tuple[str, list[int]]) -> str:
    """A reply of the stub with these sentences and the numbers of their sources."""
    said = [{"text": text, "sources": sources} for text, sources in sentences]
    return f"reply:{json.dumps({'sentences': said})}"


def summary(job: Job) -> str:
    [one] = proposals(job)
    assert one.kind == "summarise"
    assert one.result is not None
    content: str = one.result["content"]
    return content


def test_each_sentence_is_kept_with_the_memories_that_say_it(
    space: Space, model: StubModel
) -> None:
    memories = episode(space)
    model.script(answer((TRAINED, [1]), (SHOES, [3])))

    [one] = proposals(run(space))

    assert one.result is not None
    assert one.result["content"] == f"{TRAINED} {SHOES}"
    assert [sentence["sources"] for sentence in one.sentences] == [
        [str(memories[0].pk)], [str(memories[2].pk)],
    ]  # fmt: skip
    assert len(one.sources) == len(memories)
    assert one.confidence > 0.6
    [asked] = model.requests
    assert "3. [2026-02-18] User bought Falcon" in asked.body["messages"][1]["content"]
    assert ModelUsage.objects.get(space=space).purpose == "summarise"


@pytest.mark.parametrize(
    ("text", "sources"), [(INVENTED, [1]), (SHOES, [1]), (SHOES, [9]), (SHOES, [0])]
)
def test_what_its_sources_do_not_say_is_left_out(
    space: Space, model: StubModel, text: str, sources: list[int]
) -> None:
    episode(space)
    model.script(answer((TRAINED, [1]), (text, sources)))

    assert summary(run(space)) == TRAINED


@pytest.mark.parametrize("step", ["nonsense", "500", answer((INVENTED, [1]))])
def test_without_a_usable_answer_sentences_are_chosen(
    space: Space, model: StubModel, step: str
) -> None:
    memories = episode(space)
    model.script(step)

    found = proposals(run(space))

    texts = [sentence["text"] for one in found for sentence in one.sentences]
    assert INVENTED not in texts
    assert memories[0].content in texts


def test_a_run_asks_no_more_often_than_the_policy_allows(space: Space, model: StubModel) -> None:
    set_policy(space, consolidation={"model_calls": 1})
    episode(space, "c1")
    episode(space, "c2", MOVING)
    model.script(answer((TRAINED, [1])), answer((TRAINED, [1])))

    job = run(space)

    assert len(model.requests) == 1
    by_model, *built_in = proposals(job)
    assert len(by_model.sources) == sum(len(one.sources) for one in built_in) == 5
    assert all(by_model.confidence > one.confidence for one in built_in)


def test_a_space_assessed_without_a_model_asks_none(space: Space, model: StubModel) -> None:
    set_policy(space, assessment={"provider": "local"})
    episode(space)

    assert proposals(run(space))
    assert model.requests == []
