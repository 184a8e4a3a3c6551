"""Leases of replies: what a dead web process leaves behind does not stay unfinished."""

from datetime import timedelta

import pytest

from accounts.models import Space
from assessor.models import State
from chat.models import REPLY_OVERDUE, Message
from chat.replies.leases import renew_reply, stop_abandoned
from chat.replies.services import LEASE, Reply, claim_reply, finish_reply
from chat.replies.turns import begin_turn
from foundation.database.leases import database_now

pytestmark = pytest.mark.django_db


def begun(space: Space, *, claimed: bool) -> Message:
    return begin_turn(space=space, text="I like rivers", now=database_now(), claimed=claimed)


def row(message: Message) -> Message:
    return Message.objects.select_related("assessment").get(pk=message.pk)


def expire(message: Message) -> None:
    Message.objects.filter(pk=message.pk).update(leased_until=database_now() - timedelta(seconds=1))


@pytest.mark.parametrize("claimed", [True, False])
def test_a_writer_leases_its_reply_and_gives_the_lease_back(space: Space, claimed: bool) -> None:
    message = begun(space, claimed=claimed)
    if not claimed:
        assert row(message).leased_until is None
        assert claim_reply(space=space, message_id=message.pk)
    leased_until = row(message).leased_until
    assert leased_until is not None
    assert timedelta() < leased_until - database_now() <= LEASE
    assert stop_abandoned(now=database_now()) == 0

    expire(message)
    renew_reply(message)
    assert stop_abandoned(now=database_now()) == 0

    done = Reply(Message.State.DONE, "Rivers are fine.", "stub", [], [])
    finish_reply(message=message, reply=done, now=database_now())
    renew_reply(message)
    assert (row(message).state, row(message).leased_until) == ("done", None)


def test_a_reply_whose_writer_is_gone_is_stopped_and_its_exchange_released(space: Space) -> None:
    message = begun(space, claimed=True)
    expire(message)

    assert stop_abandoned(now=database_now()) == 1

    stopped = row(message)
    assert (stopped.state, stopped.leased_until) == ("stopped", None)
    assert stopped.assessment is not None
    assert (stopped.assessment.state, stopped.assessment.user_message) == (
        State.QUEUED,
        "I like rivers",
    )
    assert stopped.assessment.due_at <= database_now()
    assert stop_abandoned(now=database_now()) == 0


def test_a_reply_that_nobody_began_to_write_is_stopped_when_it_is_overdue(space: Space) -> None:
    message = begun(space, claimed=False)
    assert stop_abandoned(now=database_now() + REPLY_OVERDUE / 2) == 0

    assert stop_abandoned(now=database_now() + REPLY_OVERDUE) == 1
    assert row(message).state == "stopped"
