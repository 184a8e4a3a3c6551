"""An exchange that a worker assesses later teaches its own user, and nobody else."""

from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import Assessment
from assessor.outbox.services import queue_assessment
from assessor.tasks import assess
from memory.models import Memory
from memory.models.policies import current_policy
from memory.policies.services import change_policy
from memory.retention.recycle_bin import delete_memory, purge_memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, NOW

SAID = "I live in Lisbon with my sister Ana"
USERS = ("alice", "bob", None)


def test_each_user_learns_from_their_own_words(space: Space) -> None:
    for user_id in (*USERS, "alice"):
        exchange = Exchange(SAID, "Noted.", user_id=user_id)
        row = queue_assessment(space=space, exchange=exchange, now=timezone.now())
        assess(space.pk, str(row.pk))

    learned = list(Memory.objects.order_by("created_at").values_list("user_id", flat=True))
    assert sorted(learned, key=str) == sorted(USERS, key=str)
    for row in Assessment.objects.all():
        assert row.memory is not None
        assert row.memory.user_id == row.user_id


def test_a_topic_of_two_users_is_two_spans(space: Space) -> None:
    """The caller may give both conversations the same name."""
    changes = {"assessment": {"trigger": "topic_change"}}
    change_policy(space=space, changes=changes, actor=ALICE, now=NOW)
    assert current_policy(space).document.assessment.trigger == "topic_change"
    for user_id in ("alice", "bob", "alice"):
        exchange = Exchange(SAID, "Noted.", source_conversation="talk", user_id=user_id)
        row = queue_assessment(space=space, exchange=exchange, now=timezone.now())
        assess(space.pk, str(row.pk))

    first, second, third = Assessment.objects.order_by("created_at")
    assert (first.part_of_id, second.part_of_id) == (None, None)
    assert third.part_of_id == first.pk


def test_the_callers_names_reach_the_memory(space: Space, key: MakeKey) -> None:
    names = {"agent_id": "bot", "session_id": "talk", "metadata": {"n": 1}}
    queued = ApiClient(key()).post("assessments", {"user_message": SAID, **names})
    assert queued.status_code == 202
    assess(space.pk, queued.json()["id"])

    memory = Memory.objects.get(space=space)
    assert (memory.agent_id, memory.session_id, memory.metadata) == ("bot", "talk", {"n": 1})


def test_a_purge_takes_the_metadata_from_the_assessment(space: Space) -> None:
    exchange = Exchange(SAID, "Noted.", metadata={"note": "zyzzyva"})
    row = queue_assessment(space=space, exchange=exchange, now=timezone.now())
    assess(space.pk, str(row.pk))
    memory = Memory.objects.get(space=space)
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=timezone.now())
    purge_memory(space=space, memory_id=memory.pk, actor=ALICE, now=timezone.now())

    assert Assessment.objects.get(pk=row.pk).metadata == {}
