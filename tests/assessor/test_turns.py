"""Workers take turns between spaces: one space's backlog does not delay the others."""

from datetime import timedelta

from accounts.models import Space
from assessor.models import Assessment, State
from assessor.outbox.services import LEASE
from assessor.outbox.turns import Turns, claim_in_turn
from tests.assessor.outbox import EXCHANGE, NOW, SECOND, queued

BACKLOG = 300


def backlog(space: Space, count: int = BACKLOG) -> list[Assessment]:
    """This many exchanges that wait, the oldest first."""
    return Assessment.objects.bulk_create(
        Assessment(
            space=space,
            user_message=f"{EXCHANGE.user_message} {number}",
            created_at=NOW,
            enqueued_at=NOW,
            due_at=NOW - SECOND * (count - number),
        )
        for number in range(count)
    )


def take(task: Assessment, turns: Turns) -> Assessment | None:
    """Return the exchange that a worker claims for a task."""
    return claim_in_turn(space_id=task.space_id, assessment_id=task.pk, now=NOW, turns=turns)


def test_an_exchange_behind_hundreds_of_another_space_is_claimed_soon(
    space: Space, other_space: Space
) -> None:
    tasks, turns = backlog(space), Turns(most=BACKLOG)
    for task in tasks[:5]:
        assert take(task, turns) == task
    alone = queued(other_space)

    claimed = [take(task, turns) for task in tasks[5:8]]

    assert alone in claimed
    # Its own task now gets the exchange whose task it used.
    assert take(alone, turns) == tasks[5]


def test_two_spaces_with_a_backlog_get_every_other_turn(space: Space, other_space: Space) -> None:
    tasks, turns = backlog(space, 20), Turns(most=BACKLOG)
    backlog(other_space, 10)

    claimed = [take(task, turns) for task in tasks]

    spaces = [one.space_id for one in claimed if one]
    assert len(spaces) == 20
    assert spaces[::2] == [spaces[0]] * 10
    assert spaces[1::2] == [spaces[1]] * 10
    assert set(spaces) == {space.pk, other_space.pk}


def test_every_exchange_is_claimed_once_with_as_many_tasks(
    space: Space, other_space: Space
) -> None:
    tasks, turns = [*backlog(space, 6), *backlog(other_space, 3)], Turns(most=BACKLOG)

    claimed = [take(task, turns) for task in tasks]

    assert {one.pk for one in claimed if one} == {task.pk for task in tasks}
    assert not Assessment.objects.filter(state=State.QUEUED).exists()
    assert take(tasks[0], turns) is None


def test_an_exchange_that_is_not_due_gets_no_turn(space: Space, other_space: Space) -> None:
    later = queued(space, due_at=NOW + timedelta(minutes=10))

    assert take(later, Turns(most=BACKLOG)) is None


def test_an_abandoned_exchange_gets_its_turn(space: Space) -> None:
    task, turns = queued(space), Turns(most=BACKLOG)
    assert take(task, turns) == task
    assert take(task, turns) is None

    late = NOW + LEASE + SECOND
    again = claim_in_turn(space_id=space.pk, assessment_id=task.pk, now=late, turns=turns)

    assert again is not None
    assert again.attempts == 2


def test_a_space_has_a_limited_number_of_turns(space: Space, other_space: Space) -> None:
    tasks, turns = backlog(space, 5), Turns(most=2)
    assert [take(task, turns) for task in tasks[:4]] == [*tasks[:2], None, None]
    alone = queued(other_space)
    assert take(alone, turns) == alone

    turns.leave(space.pk)

    assert [turns.recall_task() for _ in range(3)] == [True, True, False]
    assert [take(task, turns) for task in tasks[2:4]] == [tasks[2], None]
    assert [turns.recall_task() for _ in range(2)] == [True, False]
