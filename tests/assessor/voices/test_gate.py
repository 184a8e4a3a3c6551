"""The gate: prompts of programs teach nothing, and the words of people are not lost."""

import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import State
from assessor.outbox.services import queue_assessment
from assessor.screening import GateReason, assessed_part, gate_reason
from assessor.statistics.gate_counts import count_gated, gated_lately
from tests.assessor.voices.sets import Line, kept, lines, share, teaches


def taught(line: Line) -> bool:
    said = assessed_part(Exchange(line["text"])).user_message
    return gate_reason(line["text"]) is None and bool(said) and kept(said)


def test_at_most_3_percent_of_programs_prompts_teach() -> None:
    prompts = lines("programs.jsonl")
    assert len(prompts) >= 90
    assert share(map(taught, prompts)) <= 0.03


def test_at_most_2_percent_of_peoples_facts_are_lost() -> None:
    """The messages look like prompts: they give orders, have headings or braces."""
    facts = [line["text"] for line in lines("people.jsonl")[::8] if kept(line["text"])]
    assert share(gate_reason(text) is not None for text in facts) <= 0.02


def test_two_of_three_texts_that_are_handed_over_teach_nothing() -> None:
    shown = [line for line in lines("pasted.jsonl")[::8] if line["shown"]]
    assert share(teaches(line["text"], line["shown"]) for line in shown) <= 0.33


def test_data_is_no_persons_message() -> None:
    assert gate_reason('{"temperature": 21, "town": "Porto"}') is GateReason.TASK_PROMPT
    assert gate_reason("21") is None


@pytest.mark.django_db
def test_a_queued_prompt_is_ignored_at_once_with_its_reason(space: Space) -> None:
    now = timezone.now()
    prompt = Exchange(
        "Generate a concise title for this chat. Reply with the title only.\n\nUser: hi"
    )
    row = queue_assessment(space=space, exchange=prompt, now=now)
    assert (row.state, row.finished_at) == (State.IGNORED, now)
    assert "a program wrote this prompt" in row.reasoning

    said = Exchange("I moved to Oslo in May")
    assert queue_assessment(space=space, exchange=said, now=now).state == State.QUEUED
    unlearned = queue_assessment(space=space, exchange=said, now=now, learns=False)
    assert unlearned.state == State.IGNORED
    assert "turned learning off" in unlearned.reasoning


@pytest.mark.django_db
def test_gated_requests_are_counted_by_reason_in_their_space(
    space: Space, other_space: Space
) -> None:
    now = timezone.now()
    for reason in (GateReason.CLIENT_TASK, GateReason.TASK_PROMPT, GateReason.TASK_PROMPT):
        count_gated(space=space, reason=reason, now=now)
    count_gated(space=other_space, reason=GateReason.TEMPORARY_CHAT, now=now)
    counted = [(one.label, one.count) for one in gated_lately(space=space, now=now)]
    assert counted == [("task prompts", 2), ("tasks named by the client", 1)]
