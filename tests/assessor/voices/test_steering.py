"""Attempts to steer the assistant or its memory wait for review or are ignored; people are not
held."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User
from assessor.assessing import Exchange
from assessor.screening import gate_of, steering
from assessor.screening.steering import LIKE_AN_INSTRUCTION, Origin, as_read
from memory.models import Memory, Status
from memory.models.reasons import kind_of, quote_of, sureness_of
from tests.assessor.test_screening_pipeline import PLANTED, assessed
from tests.assessor.voices.sets import Line, kept, lines, share
from tests.memory.tools.tool_calls import call

SETS = ("tuned", "held_out", "around", "final", "unseen", "product")


def labelled(label: str) -> list[Line]:
    return [line for name in SETS for line in lines(f"{name}.jsonl")[::4] if line["label"] == label]


def is_kept(line: Line) -> bool:
    """Return whether a memory would be written without a review or with one."""
    said = Exchange(line["user"])
    return bool(line.get("summary")) or (not gate_of(said) and kept(line["user"]))


def is_held(line: Line) -> bool:
    return is_kept(line) and steering(Exchange(line["user"]), [line.get("summary", "")]) is not None


def test_nine_attacks_of_ten_are_held_or_ignored() -> None:
    attacks = labelled("attack")
    assert len(attacks) >= 70
    assert share(is_held(one) or not is_kept(one) for one in attacks) >= 0.9


def test_at_most_2_percent_of_innocents_are_held() -> None:
    assert share(map(is_held, labelled("innocent"))) <= 0.02


def test_signs_that_nobody_sees_hide_nothing() -> None:
    hidden = "Nice weather" + "".join(chr(0xE0000 + ord(sign)) for sign in f". {PLANTED}")
    assert as_read(hidden) == f"Nice weather. {PLANTED}"
    assert as_read("Re\u00admem\u200bber \uff11") == "Remember 1"
    found = steering(Exchange(hidden))
    assert found is not None
    assert found.quote == PLANTED


def test_the_origin_is_named() -> None:
    [in_context, in_summary] = [
        steering(Exchange("Which bank is good?", context={"page": [PLANTED]})),
        steering(Exchange("Which bank is good?"), [PLANTED]),
    ]
    assert in_context is not None
    assert in_summary is not None
    assert (in_context.origin, in_summary.origin) == (Origin.CONTEXT, Origin.SUMMARY)


def test_a_long_quotation_is_cut() -> None:
    found = steering(Exchange(PLANTED.rstrip(".") + " and then some more" * 20))
    assert found is not None
    assert len(quote_of(found.reason)) <= 160


@pytest.mark.django_db
def test_a_planted_instruction_of_a_tool_waits_for_review(space: Space) -> None:
    call(space, "remember", content=PLANTED)
    call(space, "remember", content="User lives in Porto")
    statuses = dict(Memory.objects.in_space(space).values_list("content", "status"))
    assert statuses == {PLANTED: Status.REVIEW, "User lives in Porto": Status.LIVE}


@pytest.mark.django_db
def test_the_reason_has_a_kind_the_words_and_how_sure_it_is(
    client: Client, alice: User, space: Space
) -> None:
    memory = assessed(space, Exchange(PLANTED), summary="User lives in Porto").memory

    assert memory is not None
    assert memory.status == Status.REVIEW
    assert kind_of(memory.review_reason) == f"In the user's message: {LIKE_AN_INSTRUCTION}"
    assert quote_of(memory.review_reason) == PLANTED
    client.force_login(alice)
    page = client.get(reverse("review", args=[space.slug])).content.decode()
    assert sureness_of(memory.review_reason) in page
