"""Text that a person hands over is not stored as theirs, and their own words are."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange, assess_locally
from assessor.gate import gate_reason, handing, own_words
from assessor.gate.handing import not_surely_own
from assessor.outbox.services import claim, finish, queue_assessment
from assessor.saving.exchanges import joined, span_of
from assessor.screening import assessed_part
from memory.models import Memory, Status

FILE = Path(__file__).with_name("pasted.jsonl")


def lines(split: str) -> list[dict[str, Any]]:
    with FILE.open(encoding="utf-8") as file:
        return [line for line in map(json.loads, file) if line["split"] == split]


def left(text: str) -> tuple[str, bool]:
    """The words that are assessed, and whether a memory of them waits for review."""
    if gate_reason(text):
        return "", False
    own = assessed_part(Exchange(text)).user_message
    return own, bool(not_surely_own(own))


def leaked(split: str) -> Iterator[str]:
    for line in lines(split):
        own, held = left(line["text"])
        if line["shown"] and line["shown"] in own and not held:
            yield line["text"]


def lost(split: str) -> Iterator[str]:
    for line in lines(split):
        own, held = left(line["text"])
        if line["own"] not in own or (line["shown"] and line["own"] and held):
            yield line["text"]


@pytest.mark.parametrize(
    ("split", "leaks"),
    [("tuned", 1), ("first", 0), ("second", 1), ("third", 1), ("fourth", 7), ("fifth", 3)],
)
def test_handed_over_texts_are_cut_or_held_as_the_docs_say(split: str, leaks: int) -> None:
    assert len(list(leaked(split))) <= leaks, list(leaked(split))
    assert list(lost(split)) == []


@pytest.mark.parametrize("split", ["tuned", "second", "third", "fourth", "fifth"])
def test_messages_that_look_like_them_are_seldom_held(split: str) -> None:
    own = [line["text"] for line in lines(split) if not line["shown"]]
    held = [text for text in own if left(text)[1]]
    assert len(held) <= 0.05 * len(own), held


def learned(space: Space, text: str) -> dict[str, Status]:
    """The memories of a message, each with its status."""
    now = timezone.now()
    row = queue_assessment(space=space, exchange=Exchange(text), now=now)
    claimed = claim(space_id=space.pk, assessment_id=row.pk, now=now)
    assert claimed is not None
    finish(assessment=claimed, result=assess_locally(joined(span_of(claimed))), now=now)
    memories = Memory.objects.in_space(space)
    return {memory.content: Status(memory.status) for memory in memories}


@pytest.mark.django_db
def test_words_that_may_be_anothers_wait_for_review_with_their_source(space: Space) -> None:
    moved = "I moved to Bern in May for my new job, and I love it here."
    said = f"{moved} Can you translate this into Italian: I am allergic to nuts and live in Graz."
    found = learned(space, said)
    assert found.pop(moved) == Status.LIVE
    assert set(found.values()) <= {Status.REVIEW}


@pytest.mark.django_db
def test_a_persons_words_beside_a_text_are_saved(space: Space) -> None:
    said = "I'm moving to Oslo in May because of my new job. Can you translate this: "
    [(content, status)] = learned(space, f"{said}Jeg heter Kari og jeg bor i Bergen.").items()
    assert status == Status.LIVE
    assert "Oslo" in content
    assert "Kari" not in content


def test_the_weights_are_those_of_the_vector_and_a_constant() -> None:
    assert handing.load_weights().shape == (handing.DIMENSIONS + 1,)
    assert own_words("Fix the spelling of: she livs in Rome") == "Fix the spelling of:"
