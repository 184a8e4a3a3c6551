"""A reply with its memories, and the pages that say why, for the tests of them."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from assessor.models import Assessment, AssessmentQuerySet
from chat.models import Message
from chat.replies.services import Reply, finish_reply
from chat.replies.turns import begin_turn
from memory.memories.schemas import results_out
from memory.models import Memory
from memory.recall.recall import SearchRequest, recall
from tests.conftest import Answer
from tests.memory.writing import remember, stored
from tests.pages import login

QUESTION = "where do I live?"
NOW = timezone.now()
CONTENTS = [
    "User lives in Lisbon", "User likes tea", "User walks in the park", "User owns a red bicycle",
    "User reads in the evening", "User has a sister", "User sings in a choir",
]  # fmt: skip


@pytest.fixture
def lisbon(space: Space) -> Memory:
    days = timedelta(days=40)
    made = [remember(space, text, now=NOW, created_at=NOW - days) for text in CONTENTS]
    return made[0]


@pytest.fixture
def reply(space: Space, lisbon: Memory) -> Message:
    """An answer that uses the first of the memories it was given; the others nearly were."""
    message = begin_turn(space=space, text=QUESTION, now=NOW, claimed=True)
    found = recall(space, SearchRequest(QUESTION, limit=2, explain=True), now=NOW)
    given = Reply(
        "done",
        "You live in Lisbon.",
        "stub",
        results_out(found.results),
        found.memory_ids,
        missed=results_out(found.missed),
    )
    finish_reply(message=message, reply=given, now=NOW)
    message.refresh_from_db()
    return message


def call(user: User, message: Message, name: str = "why", *memory: Memory, **posted: str) -> Answer:
    """GETs the inspector, or one of its memories; POSTs what a button does."""
    ids = [one.pk for one in memory]
    address = reverse(name, args=[message.space.slug, message.pk, *ids])
    client = login(user)
    return client.get(address) if name in {"why", "why_hit"} else client.post(address, posted)


def text(answer: Answer) -> str:
    """Return the text that a reader reads, each run of white space as one space."""
    assert answer.status_code == 200, answer.content
    plain = re.sub(r"<svg.*?</svg>|<[^>]+>", " ", answer.content.decode(), flags=re.DOTALL)
    return " ".join(plain.split())


def exchange_of(reply: Message) -> AssessmentQuerySet:
    assert reply.assessment_id is not None
    return Assessment.objects.in_space(reply.space).filter(pk=reply.assessment_id)


def use_count(memory: Memory) -> int:
    return stored(memory).use_count
