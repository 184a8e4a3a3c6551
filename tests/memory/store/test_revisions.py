"""Earlier versions of a memory, and reverting to them."""

from collections.abc import Callable
from uuid import uuid4

import pytest

from accounts.models import Space
from foundation.errors import NotFound
from memory.drafts import MemoryChange
from memory.models import Memory
from memory.recall.recall import SearchRequest, recall
from memory.store.revisions import revert_memory
from memory.store.services import revise_memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, NOW, remember

pytestmark = pytest.mark.django_db


def revised(space: Space) -> Memory:
    memory = remember(space, "User lives in Paris", memory_type="fact", tags=["city"])
    return revise_memory(
        space=space,
        memory_id=memory.pk,
        change=MemoryChange(content="User lives in Lisbon", tags=["portugal"], importance=0.9),
        actor=ALICE,
        now=NOW,
    )


def test_reverting_restores_what_was_said_and_can_be_undone(space: Space) -> None:
    memory = revised(space)

    back = revert_memory(space=space, memory_id=memory.pk, revision=1, actor=ALICE, now=NOW)
    assert (back.content, back.tags, back.importance) == ("User lives in Paris", ["city"], 0.6)
    assert back.revision == 3
    assert recall(space, SearchRequest("Paris"), now=NOW).results[0].signals["lexical"] > 0

    again = revert_memory(space=space, memory_id=memory.pk, revision=2, actor=ALICE, now=NOW)
    assert (again.content, again.tags, again.importance) == (
        "User lives in Lisbon",
        ["portugal"],
        0.9,
    )


def test_reverting_takes_away_facets_that_nobody_had_given_then(space: Space) -> None:
    memory = remember(space, "User lives in Paris", memory_type="fact")
    trait = MemoryChange.model_validate({"facets": {"P": 1.0}})
    core = revise_memory(space=space, memory_id=memory.pk, change=trait, actor=ALICE, now=NOW)

    back = revert_memory(space=space, memory_id=memory.pk, revision=1, actor=ALICE, now=NOW)
    again = revert_memory(space=space, memory_id=memory.pk, revision=2, actor=ALICE, now=NOW)

    assert (core.core, back.core, back.facets, back.importance) == (True, False, None, 0.6)
    assert (again.core, again.facets, again.importance) == (True, core.facets, core.importance)


def test_a_revision_that_never_was_is_not_found(space: Space) -> None:
    memory = revised(space)
    for memory_id, revision in [(memory.pk, 2), (memory.pk, 99), (uuid4(), 1)]:
        with pytest.raises(NotFound):
            revert_memory(space=space, memory_id=memory_id, revision=revision, actor=ALICE, now=NOW)


def test_api_lists_revisions_newest_first_and_reverts(
    space: Space, api: Callable[[str | None], ApiClient], key: MakeKey
) -> None:
    client = api(key(space))
    memory = revised(space)

    listed = client.get(f"memories/{memory.short_id}/revisions").json()["items"]
    assert [(item["revision"], item["content"]) for item in listed] == [
        (2, "User lives in Lisbon"),
        (1, "User lives in Paris"),
    ]
    assert listed[0]["replaced_at"] is None
    assert listed[1]["actor"] == {"type": ALICE.type, "name": ALICE.name}

    newest = client.get(f"memories/{memory.pk}/revisions", limit=1).json()
    oldest = client.get(f"memories/{memory.pk}/revisions", limit=1, cursor=newest["next"]).json()
    assert newest["items"] + oldest["items"] == listed
    assert oldest["next"] is None
    for wrong in ({"limit": 0}, {"limit": 201}, {"cursor": "-1"}, {"cursor": "x"}):
        assert client.get(f"memories/{memory.pk}/revisions", **wrong).status_code == 422

    answer = client.post(f"memories/{memory.pk}/revert", {"revision": 1})
    assert (answer.status_code, answer.json()["content"]) == (200, "User lives in Paris")
    assert client.post(f"memories/{memory.pk}/revert", {"revision": 7}).status_code == 404
    assert client.post(f"memories/{memory.pk}/revert", {"revision": 0}).status_code == 422
