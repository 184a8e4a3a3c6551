"""The gate: prompts of programs teach nothing, and the words of people are not lost."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.gate import GateReason, gate_reason, own_words
from assessor.gate.exchanges import count_gated
from assessor.models import State
from assessor.outbox.services import queue_assessment
from assessor.screening import assessed_part
from assessor.statistics.gate_counts import gated_lately

HERE = Path(__file__).parent
DOCUMENT = "Maria Keller is allergic to penicillin and lives in Basel."


def lines(name: str) -> Iterator[dict[str, Any]]:
    with (HERE / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def taught(line: dict[str, Any]) -> str:
    """Return what a program's prompt would teach."""
    gated = gate_reason(line["text"], line["system"])
    return "" if gated else own_words(line["text"])


def test_at_least_98_percent_of_programs_prompts_teach_only_the_persons_question() -> None:
    prompts = list(lines("programs.jsonl"))
    wrong = [line["text"] for line in prompts if taught(line) != line["own"]]
    assert len(prompts) >= 60
    assert len(wrong) <= 0.02 * len(prompts), wrong


@pytest.mark.parametrize(
    ("split", "count", "most"),
    [
        ("tuned", 100, 0),
        ("held out", 60, 0),
        ("unseen", 100, 1),
        ("look-alike", 100, 0),
        ("later", 50, 0),
        ("fresh", 100, 0),
        ("eight languages", 100, 0),
        ("eight languages, later", 50, 0),
    ],
)
def test_peoples_messages_are_lost_as_seldom_as_the_docs_say(
    split: str, count: int, most: int
) -> None:
    messages = [line for line in lines("people.jsonl") if line["split"] == split]
    lost = [
        line["text"]
        for line in messages
        if gate_reason(line["text"]) or line["own"] not in own_words(line["text"])
    ]
    assert len(messages) == count
    assert len(lost) <= most, lost


def misjudged_systems(by: str) -> list[str]:
    """The system prompts after which a person's message is not what it should be: kept after a
    person's own, lost after a program's."""
    said = ("I moved to Porto in March and work at a bakery.", "我三月搬到成都，在一家面包店上班。")
    return [
        line["text"]
        for line in lines("systems.jsonl")
        if line["by"] == by
        and any((gate_reason(text, line["text"]) is None) != (by == "people") for text in said)
    ]


def test_system_prompts_of_people_set_no_task() -> None:
    assert misjudged_systems("people") == []


def test_system_prompts_of_one_task_are_recognised() -> None:
    assert len(misjudged_systems("programs")) <= 3, misjudged_systems("programs")


@pytest.mark.parametrize(
    "text",
    [
        "The flat must have a balcony, the kitchen should be new. NEVER on the ground floor.",
        "MY PLANS: Lisbon in May\nMY BUDGET: 900 euros\nI am vegan. What should I see?",
        'My boss said "You must write the report only in English" and I hate it.',
        "The report must be short and the summary should be in French, I work at Novartis.",
    ],
)
def test_wishes_and_shouting_of_people_are_not_lost(text: str) -> None:
    assert gate_reason(text) is None


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (f"I moved to Oslo.\n```\n{DOCUMENT}\n```\nI like it.", "I moved to Oslo. I like it."),
        (f"> {DOCUMENT}\nI am not Maria.", "I am not Maria."),
        (f"I am a vet. Summarise this page:\n{DOCUMENT}", "I am a vet. Summarise this page:"),
        (f"I am a vet. <!-- {DOCUMENT} -->", "I am a vet."),
        ("<b>I</b> like tea", "<b>I</b> like tea"),
        ("总结这篇文章：我住在巴塞尔", "总结这篇文章："),
        ("The following article is cut-off:\nI live in Basel", "The following article is cut-off:"),
        ("Translate this: I live in Basel.", "Translate this: I live in Basel."),
        (f"Translate this: {DOCUMENT}", "Translate this:"),
        (f"Translate this: I am Maria. {DOCUMENT * 6}", "Translate this:"),
    ],
)  # fmt: skip
def test_a_persons_words_are_told_from_the_text_around_them(text: str, own: str) -> None:
    assert " ".join(own_words(text).split()) == " ".join(own.split())


def test_only_the_persons_words_are_assessed() -> None:
    text = (
        f"Context: {DOCUMENT}\n\nAnswer the question.\n\nQuestion: I am vegan, is it safe?\nAnswer:"
    )
    assert assessed_part(Exchange(text)).user_message == "I am vegan, is it safe?"
    assert assessed_part(Exchange(text, source_role="colleague")).user_message == text


def test_a_system_prompt_that_sets_a_task_gates_its_message() -> None:
    task = (
        "You are a title generator. Write a title for the text. Output ONLY the title, max 5 words."
    )
    chat = "You are a helpful assistant. You can translate and summarise. Answer only in English."
    assert gate_reason("I moved to Oslo in May", task) is GateReason.TASK_PROMPT
    assert gate_reason("I moved to Oslo in May", chat) is None
    tutor = "You are a Spanish tutor. Translate each sentence. Output ONLY Spanish, max 20 words."
    assert gate_reason("I moved to Oslo in May", tutor) is None


@pytest.mark.parametrize(
    "text", ["<a> " * 5000, "<document>" * 5000, "a: b\n" * 5000, "> \n" * 5000]
)
def test_a_text_full_of_marks_has_no_own_words_beyond_them(text: str) -> None:
    assert gate_reason(text) in {None, *GateReason}


@pytest.mark.django_db
def test_a_queued_prompt_is_ignored_at_once_with_its_reason(space: Space) -> None:
    now = timezone.now()
    retry = Exchange("1 validation error: Field required. Fix the errors and try again.")
    row = queue_assessment(space=space, exchange=retry, now=now)
    assert (row.state, row.finished_at) == (State.IGNORED, now)
    assert "correct its answer" in row.reasoning

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
    for reason in (GateReason.RETRY, GateReason.TASK_PROMPT, GateReason.TASK_PROMPT):
        count_gated(space=space, reason=reason, now=now)
    count_gated(space=other_space, reason=GateReason.DOCUMENT, now=now)
    counted = [(one.label, one.count) for one in gated_lately(space=space, now=now)]
    assert counted == [("task prompts", 2), ("requests to correct an answer", 1)]
