"""A statement meets what is known, through the service and the API, against the real embedder."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.drafts import MemoryChange
from memory.models import BinReason, IdempotentWrite, Memory, MemoryEvent, MemoryRevision
from memory.retention.recycle_bin import delete_memory, purge_memory, restore_memory
from memory.retention.sweep import sweep
from memory.store.services import revise_memory
from tests.conftest import ApiClient, MakeKey
from tests.locks import somebody_waits
from tests.memory.writing import actions, learn, stored
from tests.processes import wait_until


def say(space: Space, content: str, **more: object) -> Memory:
    return learn(space, content, now=timezone.now(), **{"memory_type": "fact", **more})


@pytest.mark.django_db
def test_restatement_raises_the_old_memory_and_renews_it(space: Space) -> None:
    first = say(space, "I'm allergic to penicillin", importance=0.6)
    again = say(space, "I am allergic to penicillin!", importance=0.5)
    assert again.pk == first.pk
    assert again.importance == pytest.approx(0.6 + 0.1 * 0.4)
    assert again.expires_at is not None
    assert first.expires_at is not None
    assert again.expires_at > first.expires_at
    assert Memory.objects.in_space(space).count() == 1
    events = MemoryEvent.objects.filter(space=space).order_by("id")
    assert list(events.values_list("action", flat=True)) == ["created", "reinforced"]


@pytest.mark.django_db
def test_ordinary_memory_is_superseded_with_the_reason(space: Space) -> None:
    old = say(space, "I moved to Lisbon in March")
    new = say(space, "I moved from Lisbon to Porto")
    old.refresh_from_db()
    assert (old.status, old.bin_reason) == ("binned", BinReason.SUPERSEDED)
    assert new.status == "live"
    event = MemoryEvent.objects.get(space=space, memory_id=old.pk, action="deleted")
    assert event.reason == "replaced by: I moved from Lisbon to Porto"


@pytest.mark.django_db
def test_the_same_again_is_found_among_many_that_the_model_cannot_tell_from_it(
    space: Space,
) -> None:
    """The built-in model knows few Chinese characters, so that all of these are one to it."""
    pets = [f"用户养了一只{pet}" for pet in "猫狗鸟鱼兔鼠马牛羊龟"]

    first = {pet: say(space, pet).pk for pet in pets}
    again = {pet: say(space, pet).pk for pet in reversed(pets)}

    assert len(set(first.values())) == len(pets)
    assert again == first


@pytest.mark.django_db
def test_what_is_added_in_brackets_lives_as_long_as_if_it_stood_alone(space: Space) -> None:
    """The old memory would go tonight, and take the new statement with it."""
    old = say(space, "I moved to Lisbon in March. I play the cello", importance=0.6)
    ago = timezone.now() - timedelta(days=40)
    Memory.objects.filter(pk=old.pk).update(clock_started_at=ago, expires_at=ago)

    new = say(space, "I moved from Lisbon to Porto", importance=0.6)

    assert (new.pk, new.importance) == (old.pk, 0.6)
    assert sweep(space=space, now=timezone.now() + timedelta(days=29)).expired == 0
    assert sweep(space=space, now=timezone.now() + timedelta(days=31)).expired == 1


@pytest.mark.django_db
def test_what_does_not_fit_into_the_brackets_is_a_memory_of_its_own(
    space: Space, key: MakeKey
) -> None:
    core = say(space, f"User lives in Lisbon. {'x' * 19_970}", facets={"P": 1.0})
    moved = {
        "content": "I moved from Lisbon to Porto" + " at last" * 15,
        "on_duplicate": "reinforce",
    }

    answer = ApiClient(key()).post("memories", moved)

    assert answer.status_code == 201
    assert answer.json()["content"] == moved["content"]
    assert (stored(core).status, stored(core).revision) == ("live", 1)


@pytest.mark.django_db
def test_superseding_is_undone_in_one_call(space: Space) -> None:
    old = say(space, "I moved to Lisbon in March")
    say(space, "I moved from Lisbon to Porto")

    restore_memory(space=space, memory_id=old.pk, actor=SYSTEM, now=timezone.now())

    assert (stored(old).status, stored(old).content) == ("live", "I moved to Lisbon in March")
    assert actions(old) == ["created", "deleted", "restored"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("meanwhile", ["raised", "let go"])
def test_a_restatement_meets_the_memory_as_it_is_then(space: Space, meanwhile: str) -> None:
    """Another person changes or deletes the memory between the assessment and the writing."""
    first = say(space, "I'm allergic to penicillin", importance=0.6)

    def again() -> Memory:
        try:
            return say(space, "I am allergic to penicillin!", importance=0.5)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            about: dict[str, Any] = {"space": space, "memory_id": first.pk, "actor": SYSTEM}
            if meanwhile == "raised":
                change = MemoryChange(importance=0.9)
                revise_memory(**about, change=change, now=timezone.now())
            else:
                delete_memory(**about, now=timezone.now())
            said = pool.submit(again)
            wait_until(somebody_waits)
        holder = said.result(timeout=30)

    if meanwhile == "raised":
        assert holder.pk == first.pk
        assert stored(first).importance == pytest.approx(0.9 + 0.1 * 0.1)
    else:
        assert holder.pk != first.pk
        assert (stored(first).status, stored(holder).status) == ("binned", "live")


@pytest.mark.django_db
def test_core_memory_is_patched_and_keeps_what_it_said(space: Space) -> None:
    """Seed 003, 2.1: 冲突由 AI 处理（修改旧记忆内容、加括号补丁，以用户最新为准）."""
    old = say(space, "I eat meat every day", facets={"P": 1.0, "J": 0.5})
    new = say(space, "I no longer eat meat", importance=0.9)
    assert new.pk == old.pk
    day = f"{timezone.now():%Y-%m-%d}"
    assert new.content == f"I eat meat every day [{day}: I no longer eat meat]"
    assert new.core
    revision = MemoryRevision.objects.get(space=space, memory=old)
    assert revision.content == "I eat meat every day"
    assert revision.reason == "replaced by: I no longer eat meat"


@pytest.mark.django_db
def test_another_space_is_no_neighbour(space: Space, other_space: Space) -> None:
    say(other_space, "I'm allergic to penicillin")
    say(space, "I'm allergic to penicillin")
    assert Memory.objects.in_space(space).count() == 1
    assert Memory.objects.in_space(other_space).count() == 1


@pytest.mark.django_db(transaction=True)
def test_same_statement_at_once_is_one_memory(space: Space) -> None:
    def speak(_: int) -> None:
        try:
            say(space, "I'm allergic to penicillin")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(speak, range(8)))
    assert Memory.objects.in_space(space).count() == 1
    assert MemoryEvent.objects.filter(space=space, action="reinforced").count() == 7


ALLERGY = {"content": "I am allergic to penicillin!", "memory_type": "fact", "importance": 0.5}


def post(key: str, body: dict[str, Any], idempotency_key: str) -> dict[str, Any]:
    answer = ApiClient(key).post(
        "memories",
        body | {"on_duplicate": "reinforce"},
        headers={"Idempotency-Key": idempotency_key},
    )
    assert answer.status_code == 201
    written: dict[str, Any] = answer.json()
    return written


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "action"),
    [
        (ALLERGY, "reinforced"),
        ({"content": "I no longer take penicillin", "memory_type": "fact"}, "revised"),
        ({"content": "I play the tuba", "memory_type": "fact"}, "created"),
    ],
)
def test_same_idempotency_key_is_done_once_whatever_became_of_it(
    space: Space, key: MakeKey, body: dict[str, Any], action: str
) -> None:
    """API.md: "With `Idempotency-Key`, the second call answers the first's memory"."""
    say(space, "I take penicillin", facets={"P": 1.0})
    say(space, "I'm allergic to penicillin", importance=0.6)
    secret = key(space)

    first = post(secret, body, "k")
    history = MemoryEvent.objects.filter(space=space).count()
    again = post(secret, body, "k")
    other_words = post(secret, {"content": "Berlin is cold"}, "k")

    assert MemoryEvent.objects.filter(space=space).latest("id").action == action
    assert MemoryEvent.objects.filter(space=space).count() == history
    changing = {"time_coef", "current_importance"}
    for answer in (again, other_words):
        same = {name: answer[name] for name in answer if name not in changing}
        assert same == {name: first[name] for name in first if name not in changing}


@pytest.mark.django_db
def test_another_key_or_space_reinforces_again(
    space: Space, other_space: Space, key: MakeKey
) -> None:
    first = say(space, "I'm allergic to penicillin", importance=0.6)

    post(key(space), ALLERGY, "k")
    post(key(space), ALLERGY, "another")
    elsewhere = post(key(other_space), ALLERGY, "k")

    assert actions(first) == ["created", "reinforced", "reinforced"]
    assert elsewhere["id"] != str(first.pk)


@pytest.mark.django_db
def test_a_purged_memory_takes_its_keys_along(space: Space, key: MakeKey) -> None:
    first = say(space, "I'm allergic to penicillin")
    post(key(space), ALLERGY, "k")
    delete_memory(space=space, memory_id=first.pk, actor=SYSTEM, now=timezone.now())
    purge_memory(space=space, memory_id=first.pk, actor=SYSTEM, now=timezone.now())

    assert not IdempotentWrite.objects.filter(space=space).exists()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a commit would check
    assert post(key(space), ALLERGY, "k")["id"] != str(first.pk)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("known", [True, False])
def test_same_idempotency_key_at_once_reinforces_once(
    space: Space, key: MakeKey, known: bool
) -> None:
    first = say(space, "I'm allergic to penicillin" if known else "I play the tuba")
    secret, together = key(space), Barrier(4)

    def send(_: int) -> str:
        together.wait(timeout=30)
        try:
            return str(post(secret, ALLERGY, "k")["id"])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        [answered] = set(threads.map(send, range(4)))

    memory = stored(Memory(pk=answered, space=space))
    assert actions(memory) == (["created", "reinforced"] if known else ["created"])
    assert (memory.pk == first.pk) is known
    assert Memory.objects.in_space(space).count() == (1 if known else 2)


@pytest.mark.django_db
def test_a_return_to_an_earlier_statement_patches_again(space: Space) -> None:
    """Seed 003, 1.5 and 2.1: "直接交给 AI 修改旧记忆内容（括号补丁）", "以用户最新为准"."""
    old = say(space, "User loves coffee", facets={"P": 1.0, "J": 0.5})
    day = f"{timezone.now():%Y-%m-%d}"

    for statement in ("User hates coffee", "User loves coffee", "User doesn't like coffee"):
        assert say(space, statement).pk == old.pk

    assert stored(old).content == (
        f"User loves coffee [{day}: User hates coffee] [{day}: User loves coffee]"
        f" [{day}: User doesn't like coffee]"
    )
    assert actions(old) == ["created", "revised", "revised", "revised"]
    assert Memory.objects.in_space(space).count() == 1


@pytest.mark.django_db
def test_the_newest_statement_of_a_patched_memory_said_again_reinforces_it(space: Space) -> None:
    old = say(space, "用户喜欢咖啡", pinned=True)
    patched = say(space, "用户讨厌咖啡")

    again = say(space, "用户讨厌咖啡。")

    assert (again.pk, again.content) == (old.pk, patched.content)
    assert actions(old)[-2:] == ["revised", "reinforced"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User hates coffee", "User loves coffee"),
        ("用户讨厌咖啡", "用户喜欢咖啡"),
        ("User lives in Berlin", "User moved to Munich"),
    ],
)
def test_the_opposite_replaces_an_ordinary_memory(space: Space, old: str, new: str) -> None:
    """Seed 003, 2.1: "以用户最新为准"."""
    first = say(space, old)
    others = [say(space, text) for text in ("User loves tea", "User's sister lives in Berlin")]

    latest = say(space, new)

    assert (stored(first).status, stored(first).bin_reason) == ("binned", BinReason.SUPERSEDED)
    assert {latest, *others} == set(Memory.objects.in_space(space).live())
