"""The page of one assessment: what it shows, trying again, assessing again."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts.models import Space, User
from assessor.models import Assessment, State
from assessor.outbox import services
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.models import Memory
from memory.models.reasons import Reason
from memory.retention import recycle_bin
from tests.assessor.pages import LOCAL, address, assessed, listed, opened, press, words
from tests.memory.writing import create_memory
from tests.pages import login

# --- One assessment ------------------------------------------------------------------------------


def test_an_assessment_shows_what_was_said_and_all_that_was_assessed(
    alice: User, space: Space
) -> None:
    row = assessed(space, "I prefer window seats", assistant_response="Noted, by the window.",
                   context={"project": "trip"}, attempts=3, first_importance=0.31)  # fmt: skip

    read = words(opened(login(alice), row))

    for part in (
        "I prefer window seats", "Noted, by the window.", "&quot;project&quot;: &quot;trip&quot;",
        "preference 0.72 important kept forever", "User prefers window seats",
        "Reasoning It lasts", "Tags flights", "Topics Travel",
        "persistence (P) 0.71", "information (I) 0.52", "judgement (J) 0.60", "emotion (E) 0.10",
        "intensity 0.30", "valence negative -0.40",
        "Assessor gpt-4o-mini; the built-in assessor was unsure (0.31)",
        "Rubric facets (version facets-1)", "Duration 812 ms, attempt 3",
        "Cost $0.000094, 448 tokens", "{&quot;P&quot;: 0.71}",
    ):  # fmt: skip
        assert part in read, part


def test_tags_and_topics_that_were_left_out_are_shown(alice: User, space: Space) -> None:
    """Seed 001, "System Prompt": "1-10 tags maximum", "0-5 topics maximum"."""
    row = assessed(space, omitted={"tags": ["t11", "t12"], "topics": ["Sixth"]})

    read = words(opened(login(alice), row))

    assert "Left out tags beyond 10: t11, t12 topics beyond 5: Sixth" in read
    assert "Left out" not in words(opened(login(alice), assessed(space)))


def test_it_says_what_earlier_tries_came_to(alice: User, space: Space) -> None:
    failed = {"at": "2026-02-18T12:00:00+00:00", "error": "The model did not answer in time."}
    wrong = {"at": "2026-02-18T12:00:05+00:00", "error": "It does not fit: importance"}
    row = assessed(space, attempts=3, failed_tries=[
        failed | {"answer": ""}, wrong | {"answer": "<b>Sure!</b> It is important."},
    ])  # fmt: skip

    read = words(opened(login(alice), row))

    assert "2 failed attempts" in read
    assert "The model did not answer in time." in read
    assert "It does not fit: importance &lt;b&gt;Sure!&lt;/b&gt; It is important." in read
    assert "failed attempt" not in words(opened(login(alice), assessed(space)))


def test_what_nobody_counted_is_unknown(alice: User, space: Space) -> None:
    row = assessed(space, cost_usd=None, tokens=None, facets=None, raw_answer="", provider="local",
                   first_importance=0.72)  # fmt: skip

    read = words(opened(login(alice), row))

    assert "Cost unknown" in read
    assert "the built-in assessor; confident, so no model was asked" in read
    for absent in ("tokens", "Facets", "Raw answer"):
        assert absent not in read


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\"'><img src=x onerror=go()>"])
def test_what_people_and_models_write_is_text_and_never_markup(
    alice: User, space: Space, text: str
) -> None:
    row = assessed(space, text, assistant_response=text, summary=text, reasoning=text, tags=[text],
                   topics=[text], raw_answer=text, model=text, context={text: text},
                   source_role=text[:20])  # fmt: skip
    failed = assessed(space, text, "failed", error=text)
    client = login(alice)
    for page in (opened(client, row), opened(client, failed), listed(client, space)):
        assert "alert(1)</script>" not in page
        assert "<img" not in page


def remembered(row: Assessment, **changes: Any) -> Memory:
    memory = create_memory(
        space=row.space,
        draft=MemoryDraft(content="User likes window seats", memory_type="preference"),
        actor=SYSTEM,
        now=timezone.now(),
    )
    Memory.objects.filter(pk=memory.pk).update(**{"source_assessment": row.pk} | changes)
    Assessment.objects.filter(pk=row.pk).update(memory=memory)
    return memory


def test_the_memory_it_became_is_shown_wherever_it_is_now(alice: User, space: Space) -> None:
    client, row = login(alice), assessed(space)
    assert "The memory was purged" in opened(client, row)

    memory = remembered(row)
    page = opened(client, row)
    assert f'id="memory-{memory.pk}"' in page
    assert "Already known" not in page

    Memory.objects.filter(pk=memory.pk).update(status="review")
    assert "Waiting for review" in opened(client, row)
    read = words(listed(client, space))
    assert "sent to review preference I like it 0.72 important assessed by" in read

    Memory.objects.filter(pk=memory.pk).update(status="live", source_assessment=uuid4())
    assert "Already known" in opened(client, row)

    recycle_bin.delete_memory(space=space, memory_id=memory.pk, actor=SYSTEM, now=timezone.now())
    assert "In the bin: deleted" in words(opened(client, row))


def test_what_became_no_memory_says_why(alice: User, space: Space) -> None:
    row = assessed(space, state="ignored", importance=0.1)
    read = words(opened(login(alice), row))
    assert "below this space's minimum importance (0.20)" in read
    assert "The saved memory" not in read

    repeated = assessed(space, state="ignored", importance=0.9)
    assert "or only repeats recalled memories" in opened(login(alice), repeated)


def test_what_was_never_assessed_says_why(alice: User, space: Space) -> None:
    row = assessed(
        space, "I like tea", "ignored", importance=None, reasoning=Reason("learning_off")
    )
    read = words(opened(login(alice), row))
    assert Reason("learning_off") in read
    for absent in ("Not assessed yet", "Not saved"):
        assert absent not in read


@pytest.mark.parametrize("state", State.values)
def test_a_page_looks_again_until_its_assessment_is_finished(
    alice: User, space: Space, state: str
) -> None:
    row = assessed(space, state=state)
    client = login(alice)
    fragment = opened(client, row, htmx=True)

    assert "<html" not in fragment
    asks = f'hx-get="{address(row)}"'
    for page in (fragment, opened(client, row)):
        assert (asks in page) is (not row.is_finished)
        assert (address(row, "assessment_retry") in page) is (state == "failed")


def span(space: Space, state: str) -> tuple[Assessment, Assessment]:
    """Two exchanges on one topic as the pipeline leaves them: the first stands for both."""
    ends = timezone.now() + timedelta(minutes=30)
    first = assessed(space, "We talked about boats", state, span_ends_at=ends)
    given = {"importance": 0.72, "memory_type": "fact", "provider": "llm", "model": "stub"}
    shared = given if first.importance is not None else {}
    second = Assessment.objects.create(
        space=space, user_message="And about sails", state=state, part_of=first, **shared
    )
    return first, second


def test_a_topic_assessed_as_one_is_shown_as_one(alice: User, space: Space) -> None:
    client, (first, second) = login(alice), span(space, "done")
    remembered(first)
    Assessment.objects.filter(pk=second.pk).update(memory=Memory.objects.get())

    whole, part = opened(client, first), opened(client, second)

    assert "And about sails" in whole
    assert address(first, "assessment_reassess") in whole
    assert f'href="{address(first)}"' in part
    assert "It lasts" in part
    assert "Already known" not in part
    assert address(second, "assessment_reassess") not in part
    assert "with the rest of its topic" in listed(client, space)


def test_an_exchange_that_waits_for_its_topic_says_so(alice: User, space: Space) -> None:
    for row in span(space, "queued"):
        assert "Will be assessed when this topic ends" in opened(login(alice), row)


def test_a_failed_topic_is_tried_again_from_any_of_its_exchanges(alice: User, space: Space) -> None:
    first, second = span(space, "failed")
    press(login(alice), "assessment_retry", second)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, second.state) == ("queued", "queued")


# --- Trying again --------------------------------------------------------------------------------


def test_a_failed_assessment_is_queued_again(alice: User, space: Space) -> None:
    row = assessed(space, state="failed", error="The model is away.", attempts=8)

    page = press(login(alice), "assessment_retry", row).content.decode()

    row.refresh_from_db()
    assert (row.state, row.attempts, row.error) == ("queued", 0, "")
    assert "waiting for assessment" in page
    assert "<html" not in page


def test_without_a_script_trying_again_leads_back_to_the_page(alice: User, space: Space) -> None:
    row = assessed(space, state="failed")
    answer = login(alice).post(address(row, "assessment_retry"))
    assert (answer.status_code, answer.headers["Location"]) == (302, address(row))


def test_what_somebody_else_tried_again_is_shown_as_it_is(alice: User, space: Space) -> None:
    row = assessed(space, state="failed")
    services.retry(space=space, assessment_id=row.pk, now=timezone.now())
    answer = press(login(alice), "assessment_retry", row)
    assert answer.status_code == 200
    assert "waiting for assessment" in answer.content.decode()


# --- Re-assessment -------------------------------------------------------------------------------


def test_assessing_again_shows_it_beside_what_is_stored_and_stores_nothing(
    alice: User, space: Space
) -> None:
    row = assessed(space, "I am allergic to penicillin")
    before = Assessment.objects.filter(pk=row.pk).values().get()
    client = login(alice)

    fragment = press(client, "assessment_reassess", row, **LOCAL).content.decode()
    whole = client.post(address(row, "assessment_reassess"), LOCAL).content.decode()

    for page in (fragment, whole):
        read = words(page)
        assert "Re-assessed, not saved" in read
        assert "I am allergic to penicillin" in read
        assert "Assessor the built-in assessor" in read
        assert "version local-1" in read
    assert ">Result</h2>" not in fragment
    assert ">Result</h2>" in whole
    assert Assessment.objects.values().get() == before
    assert not Memory.objects.exists()


def test_assessing_again_masks_what_no_worker_has_masked_yet(alice: User, space: Space) -> None:
    row = assessed(space, "My password is hunter2-Xq9!, remember it", "queued")
    page = press(login(alice), "assessment_reassess", row, **LOCAL).content.decode()
    assert "Re-assessed, not saved" in page
    assert "hunter2" not in page


def test_why_there_is_no_second_result_is_a_sentence(alice: User, space: Space) -> None:
    row = assessed(space)
    answer = press(login(alice), "assessment_reassess", row, provider="llm", rubric="facets")
    assert answer.status_code == 200
    assert words(answer.content.decode()) == (
        "The second assessment failed. Nothing was changed. "
        "No language model is connected. Connect one, or use the built-in assessor."
    )


@pytest.mark.parametrize(
    "form", [{}, {"provider": "local"}, LOCAL | {"provider": "nobody"}, LOCAL | {"rubric": "no"}]
)
def test_what_the_form_cannot_say_is_a_bad_request(
    alice: User, space: Space, form: dict[str, str]
) -> None:
    row = assessed(space)
    assert press(login(alice), "assessment_reassess", row, **form).status_code == 400


def test_the_form_offers_a_model_only_where_there_is_one(
    alice: User, space: Space, settings: Settings
) -> None:
    client, row = login(alice), assessed(space)
    without = opened(client, row)
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    with_model = opened(client, row)

    assert re.search(r'<option value="llm"\s+disabled', without)
    assert "No language model is connected" in without
    assert re.search(r'<option value="llm" selected\s*>', with_model)
    # The other rubric than the one it was assessed by: that is what one would compare.
    assert re.search(r'<option value="graded" selected', with_model)
