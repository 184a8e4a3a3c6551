"""The overview's notices: each names a number and leads to where a person can act."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox.services import queue_assessment
from memory.models import ModelChoice, ModelConnection, Purpose
from tests.memory.writing import hold, remember, set_policy
from tests.pages import client, shown

__all__ = ["client"]

pytestmark = pytest.mark.django_db


def notices(client: Client, space: Space) -> str:
    return " ".join(shown(client, space, "attention").split())


def test_a_quiet_space_needs_nothing(client: Client, space: Space, other_space: Space) -> None:
    remember(space, "User was born in Ghent", importance=0.95, now=timezone.now())
    hold(other_space, "held elsewhere")

    assert "Nothing needs your attention." in notices(client, space)


def test_each_cause_has_a_notice_with_its_page(client: Client, space: Space) -> None:
    now = timezone.now()
    set_policy(space, capacity=2)
    hold(space, "held")
    remember(space, "User had toast", importance=0.1, now=now)
    remember(space, "User was born in Ghent", importance=0.95, now=now)
    queue_assessment(space=space, exchange=Exchange("I like pizza"), now=now - timedelta(hours=1))
    Assessment.objects.update(state=State.FAILED)
    connection = ModelConnection.objects.create(
        name="My server", base_url="http://127.0.0.1:9/v1", failure="refused"
    )
    ModelChoice.objects.create(
        purpose=Purpose.CHAT, space=space, connection=connection, model="some-model"
    )

    found = notices(client, space)

    for text, url in (
        ("Connection down: My server", "/s/home/settings/models/"),
        ("1 failed assessment", "/s/home/assessments/?state=failed"),
        ("1 memory waiting for review", "/s/home/review/"),
        ("Capacity 100% full", "/s/home/lifetimes/capacity/"),
        ("1 memory expires within a week", "/s/home/memories/?lifetime=week&amp;order=expires_at"),
    ):
        assert text in found
        assert f'href="{url}"' in found
    assert found.index("Connection down") < found.index("waiting for review")


def test_the_rail_counts_failed_assessments(client: Client, space: Space) -> None:
    assert "badge bad" not in shown(client, space, "overview")
    queue_assessment(space=space, exchange=Exchange("I like pizza"), now=timezone.now())
    Assessment.objects.update(state=State.FAILED)

    assert 'class="badge bad">1' in shown(client, space, "overview")
