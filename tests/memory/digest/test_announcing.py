"""The announcement of a digest: once for each space and week, to webhooks."""

from datetime import timedelta

import pytest

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.digest.announcing import announce_digests
from memory.digest.weeks import week_of
from memory.models import WebhookDelivery
from memory.spaces.deletion import close_space
from memory.tasks import announce_digests as task
from tests.memory.webhooks.webhook_rounds import hook
from tests.memory.writing import NOW, remember

pytestmark = pytest.mark.django_db

WEEK = week_of(NOW)
MONDAY = WEEK.ends_at + timedelta(minutes=10)


def told(space: Space) -> list[WebhookDelivery]:
    rows = WebhookDelivery.objects.in_space(space).filter(event="digest.ready")
    return list(rows.order_by("user_id"))


def test_webhooks_are_told_once_what_each_user_learned(space: Space, other_space: Space) -> None:
    webhook = hook(space, "https://example.org/")
    hook(space, "https://example.com/", events=["memory.created"])
    for name in ("tea", "pasta"):
        remember(space, f"User likes {name}")
    remember(space, "User likes pizza", user_id="alice")
    remember(other_space, "User likes rice")

    announce_digests(now=MONDAY)
    announce_digests(now=MONDAY + timedelta(hours=1))

    alice, shared = told(space)
    assert {one.webhook_id for one in (alice, shared)} == {webhook.pk}
    assert (alice.user_id, shared.user_id) == ("alice", None)
    assert shared.payload["type"] == "digest.ready"
    assert shared.payload["data"] == {
        "space": "home", "user_id": None, "week": "2026-W08",
        "begins_at": "2026-02-16T00:00:00+00:00", "ends_at": "2026-02-23T00:00:00+00:00",
        "learned": 2, "changed": 0, "consolidated": 0, "forgotten": 0,
        "url": shared.payload["data"]["url"],
    }  # fmt: skip
    assert shared.payload["data"]["url"].endswith("/s/home/digest/?week=2026-W08")
    assert (alice.payload["data"]["user_id"], alice.payload["data"]["learned"]) == ("alice", 1)


def test_each_week_is_announced(space: Space) -> None:
    hook(space, "https://example.org/")
    remember(space, "User likes tea")
    remember(space, "User likes pasta", now=MONDAY)

    for weeks in range(4):
        announce_digests(now=MONDAY + timedelta(weeks=weeks))

    # The last two weeks were empty.
    assert [one.payload["data"]["week"] for one in told(space)] == ["2026-W08", "2026-W09"]


def test_closed_spaces_are_left_out(space: Space) -> None:
    hook(space, "https://example.org/")
    remember(space, "User likes tea")
    close_space(space=space, actor=SYSTEM, now=MONDAY)

    announce_digests(now=MONDAY)

    assert told(space) == []


def test_the_task_may_run_twice(space: Space) -> None:
    task()
    task()

    space.refresh_from_db()
    assert space.digested_until is not None
