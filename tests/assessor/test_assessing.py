"""The assessor that is used, by which rubric, and what it costs: against a model over real HTTP."""

import asyncio
import json
from typing import Any

import pytest
from pytest_django import Settings

from assessor.assessing import SURE, AssessmentResult, Exchange, assess_exchange, assess_locally
from assessor.errors import AssessmentError
from assessor.language_model.prompts import RUBRICS
from assessor.llm import model_session
from memory.formulas.importance import base_importance, emotion
from memory.policy import PolicyDocument
from tests.stub_model import StubModel

MOVED = "I moved to Lisbon in March and I work as a nurse in the children's hospital"
SMALL_TALK = "hello there"
UNSURE_ABOUT = "it is quieter here lately"


def assessed(
    stub: StubModel, message: str = MOVED, *, model_name: str = "stub", **assessment: Any
) -> AssessmentResult:
    policy = PolicyDocument.model_validate({"assessment": assessment})

    async def session() -> AssessmentResult:
        async with model_session(base_url=stub.base_url, api_key="k", model=model_name) as model:
            return await assess_exchange(Exchange(message, "Noted."), policy, lambda: model)

    return asyncio.run(session())


# --- Rubrics --------------------------------------------------------------------------------


def test_the_prompts_say_what_the_seeds_say() -> None:
    """Seed 001, System Prompt; seed 003, section 2.1, with its scale of P."""
    graded, facets = RUBRICS["graded"].system, RUBRICS["facets"].system
    for band in ("0.9-1.0: Critical", "0.7-0.8: High", "0.3-0.4: Low", "0.0-0.2: Minimal"):
        assert band in graded
        assert band not in facets
    for scale in ("1.0: a clear lasting like", "0.5: a long-term plan", "0.1: everyday life"):
        assert scale in facets
    for prompt in (graded, facets):
        assert prompt.rstrip().endswith("NO EXPLANATIONS. ONLY JSON.")
        assert "Name the time of an event" in prompt
        example = prompt[prompt.index("JSON FORMAT:") :]
        assert isinstance(json.loads(example[example.index("{") : example.rindex("}") + 1]), dict)


@pytest.mark.parametrize("takes_schema", [True, False])
def test_importance_follows_from_the_facets(stub_model: StubModel, takes_schema: bool) -> None:
    """Seed 003, section 3."""
    stub_model.control.takes_schema = takes_schema
    facets = {"P": 0.5, "valence": -0.8, "intensity": 0.9, "I": 0.4, "J": 0.7}
    shared = {"memory_type": "goal", "summary": "User moved", "tags": ["sport"]}
    # Where the schema is refused, four formats are refused before a tool call is accepted.
    asked = 1 if takes_schema else 5
    stub_model.script(*["reply:" + json.dumps(facets | shared)] * asked)
    # That an endpoint takes no schema is remembered of a model, beyond this test.
    model_name = "stub" if takes_schema else "stub without schemas"
    result = assessed(stub_model, rubric="facets", model_name=model_name)
    assert (result.rubric, result.prompt_version) == ("facets", "facets-1")
    expected_emotion = emotion(-0.8, 0.9)
    assert result.facets == facets | {"E": expected_emotion}
    assert result.importance == pytest.approx(base_importance(0.5, expected_emotion, 0.4, 0.7))


def test_the_rubric_decides_what_is_asked(stub_model: StubModel) -> None:
    for rubric, wanted in (("graded", {"importance"}), ("facets", {"P", "I", "J"})):
        assessed(stub_model, rubric=rubric)
        asked = stub_model.requests[-1].body
        schema = asked["response_format"]["json_schema"]["schema"]
        assert wanted <= set(schema["required"]) == set(schema["properties"])
        assert asked["messages"][0]["content"] == RUBRICS[rubric].system


# --- Cascade --------------------------------------------------------------------------------


def test_the_model_is_asked_only_where_the_built_in_assessor_is_unsure(
    stub_model: StubModel,
) -> None:
    for message, sure in ((MOVED, True), (SMALL_TALK, True), (UNSURE_ABOUT, False)):
        own = assess_locally(Exchange(message, "Noted."))
        assert sure == ((own.confidence or 0.0) >= SURE), message
        result = assessed(stub_model, message, provider="cascade")
        assert result.first_importance == own.importance
        assert result.provider == ("local" if sure else "llm")
    assert len(stub_model.requests) == 1
    assert UNSURE_ABOUT in stub_model.requests[0].body["messages"][-1]["content"]


def test_a_cascade_without_a_model_says_so_only_when_it_needs_one() -> None:
    policy = PolicyDocument.model_validate({"assessment": {"provider": "cascade"}})
    assert asyncio.run(assess_exchange(Exchange(MOVED), policy, None)).provider == "local"
    with pytest.raises(AssessmentError, match="No language model") as refused:
        asyncio.run(assess_exchange(Exchange(UNSURE_ABOUT, "Noted."), policy, None))
    assert refused.value.permanent


# --- Costs ----------------------------------------------------------------------------------


def test_an_assessment_costs_what_its_tokens_cost(
    stub_model: StubModel, settings: Settings
) -> None:
    assert assessed(stub_model).cost_usd is None
    settings.EBB_PRICES = (0.0, 1_000_000.0)
    completion = assessed(stub_model).cost_usd
    settings.EBB_PRICES = (1_000_000.0, 1_000_000.0)
    result = assessed(stub_model)
    assert completion is not None
    assert 0 < completion < (result.cost_usd or 0)
    assert result.cost_usd == result.tokens


def test_the_built_in_assessor_costs_nothing() -> None:
    assert assess_locally(Exchange(MOVED)).cost_usd == 0.0
