"""The Assessments page as a person uses it: filter, open, try again, assess again."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Space
from assessor.models import Assessment
from memory.models import Memory
from tests.browser.conftest import LogIn
from tests.processes import Web
from tests.stub_model import StubModel

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]
PATIENT = 90_000  # milliseconds, for what a worker does
SAID = "I'm allergic to penicillin and I moved to Lisbon in March"


def assessed(space: Space, said: str, state: str = "done", **values: Any) -> Assessment:
    result: dict[str, Any] = {}
    if state in {"done", "ignored"}:
        result = {
            "importance": 0.72, "memory_type": "fact", "summary": said, "provider": "llm",
            "model": "gpt-4o-mini", "latency_ms": 812.3, "rubric": "graded", "attempts": 1,
            "prompt_version": "graded-1", "raw_answer": '{"importance": 0.72}',
        }  # fmt: skip
    return Assessment.objects.create(space=space, user_message=said, state=state, **result | values)


def long_ones(space: Space) -> tuple[Assessment, Assessment]:
    """One that is done and one that has failed, with words too long for a line in every column."""
    long = "anotherverylongword" * 20
    values: dict[str, Any] = {
        "assistant_response": long, "raw_answer": long, "reasoning": long,
        "model": long[:120], "tags": [long[:60]], "topics": [long[:120]],
        "facets": {"P": 1, "I": 0, "J": 0.5, "E": 0, "valence": -1, "intensity": 1},
    }  # fmt: skip
    return assessed(space, long, **values), assessed(space, long, "failed", error=long)


def page_of(web: Web, row: Assessment) -> str:
    return f"{web.url}/s/home/assessments/{row.pk}/"


def test_assessments_are_filtered_and_opened_and_the_way_back_is_whole(
    log_in: LogIn, web: Web, space: Space
) -> None:
    now = timezone.now()
    assessed(space, SAID, created_at=now - timedelta(hours=1))
    assessed(space, "hello", "ignored", importance=0.1, created_at=now - timedelta(hours=2))
    assessed(space, "My passport is blue", "failed", error="The model is away.",
             created_at=now - timedelta(hours=3))  # fmt: skip
    page = log_in()
    page.get_by_role("link", name="Assessments 1 failed").click()
    expect(page.get_by_role("heading", name="Assessments")).to_be_visible()
    entries = page.locator("#assessments .entry-text")
    expect(entries).to_have_text([SAID, "hello", "My passport is blue"])
    expect(page.locator(".figure", has_text="Success rate")).to_contain_text("66.7%")

    page.get_by_label("State").select_option("assessment failed")
    expect(page.locator("#assessments .entry")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"state=failed"))
    page.get_by_label("State").select_option("")
    page.get_by_role("searchbox").press_sequentially("lisbon", delay=20)
    expect(page.locator("#assessments .entry")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"q=lisbon"))

    page.get_by_role("link", name=SAID).click()
    expect(page.get_by_role("heading", name="Conversation")).to_be_visible()
    page.get_by_text("Raw answer").click()
    expect(page.get_by_text('{"importance": 0.72}')).to_be_visible()
    page.go_back()
    expect(page.locator("#assessments .entry")).to_have_count(1)
    expect(page.get_by_role("heading", name="Assessments")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("lisbon")


@pytest.mark.usefixtures("worker")
def test_a_failed_assessment_is_tried_again_before_ones_eyes(
    log_in: LogIn, web: Web, space: Space
) -> None:
    row = assessed(space, SAID, "failed", error="The model is away.", attempts=8)
    page = log_in()
    page.goto(page_of(web, row))
    expect(page.get_by_text("The model is away.")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="The saved memories")).to_be_visible()
    expect(page.locator("#stored .chip.good")).to_have_text("saved")
    expect(page.locator("#stored .memory").first).to_contain_text("penicillin")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("done", 1)

    # Many at once are work that is watched.
    for said in ("I work as a baker in Porto", "My sister Ana has a daughter called Ines"):
        assessed(space, said, "failed", error="The model is away.", attempts=8)
    page.goto(f"{web.url}/s/home/assessments/?state=failed")
    page.get_by_role("button", name="Re-assess 2").click()
    expect(page.locator("#job .chip.good")).to_have_text("done", timeout=PATIENT)
    expect(page.locator("#job")).to_contain_text("assessed 2 · failed 0")
    assert not Assessment.objects.in_space(space).filter(state="failed").exists()


def test_one_is_assessed_again_by_a_model_and_by_the_built_in_assessor(
    log_in: LogIn, model_web: Web, space: Space, stub_model: StubModel
) -> None:
    row = assessed(space, SAID)
    before = Assessment.objects.filter(pk=row.pk).values().get()
    page = log_in(on=model_web)
    page.goto(page_of(model_web, row))
    again = page.locator("#again")

    page.get_by_label("Rubric").select_option("facets")
    page.get_by_role("button", name="Re-assess").click()
    expect(again).to_contain_text("facets (version facets-1)")
    expect(again).to_contain_text("persistence (P)")
    expect(page.locator("#stored")).to_contain_text("gpt-4o-mini")
    assert len(stub_model.requests) == 1

    page.get_by_label("Assessor", exact=True).select_option("local")
    page.get_by_role("button", name="Re-assess").click()
    expect(again).to_contain_text("the built-in assessor")
    expect(again.locator("section")).to_have_count(1)
    assert len(stub_model.requests) == 1

    stub_model.script("500")
    page.get_by_label("Assessor", exact=True).select_option("llm")
    page.get_by_role("button", name="Re-assess").click()
    expect(again.locator(".note.bad")).to_contain_text("Nothing was changed. The model's endpoint")

    assert Assessment.objects.values().get() == before
    assert not Memory.objects.exists()
