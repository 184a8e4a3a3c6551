"""`POST memories` says whether another memory says the same."""

import pytest

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.models import Memory
from memory.retention.recycle_bin import delete_memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember


@pytest.mark.parametrize(
    "text", ["User likes pizza", "user likes pizza!", "Remember: User likes pizza"]
)
def test_a_saved_memory_names_its_near_duplicate(key: MakeKey, space: Space, text: str) -> None:
    known = remember(space, "User likes pizza", memory_type="preference")
    remember(space, "User likes sailing", memory_type="preference")

    saved = ApiClient(key()).post("memories", {"content": text}).json()

    assert saved["near_duplicate_of"] == str(known.pk)
    assert Memory.objects.count() == 3


@pytest.mark.parametrize("text", ["User hates pizza", "User likes pizza with 3 friends"])
def test_a_memory_that_says_something_else_has_none(key: MakeKey, space: Space, text: str) -> None:
    remember(space, "User likes pizza")
    binned = remember(space, text)
    delete_memory(space=space, memory_id=binned.pk, actor=SYSTEM, now=binned.created_at)

    assert ApiClient(key()).post("memories", {"content": text}).json()["near_duplicate_of"] is None


def test_another_space_has_no_near_duplicates(
    key: MakeKey, space: Space, other_space: Space
) -> None:
    remember(other_space, "User likes pizza")
    saved = ApiClient(key()).post("memories", {"content": "User likes pizza"}).json()
    assert saved["near_duplicate_of"] is None


def test_another_user_has_no_near_duplicates(key: MakeKey, space: Space) -> None:
    remember(space, "User likes pizza", user_id="alice")
    body = {"content": "User likes pizza", "user_id": "bob"}
    assert ApiClient(key()).post("memories", body).json()["near_duplicate_of"] is None


def test_a_reinforced_memory_is_no_duplicate_of_itself(key: MakeKey, space: Space) -> None:
    body = {"content": "User likes pizza", "on_duplicate": "reinforce"}
    first, second = (ApiClient(key()).post("memories", body).json() for _ in range(2))
    assert (second["id"], second["near_duplicate_of"]) == (first["id"], None)
