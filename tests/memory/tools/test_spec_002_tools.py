"""The conformance cases C-01 to C-05 of seed 002 by the function tools, each call as the seed
writes it."""

import pytest

from accounts.models import Space
from foundation.errors import InvalidArguments
from memory.models import Memory, MemoryEvent, MemoryRevision
from tests.memory.store.test_spec_002 import DEFAULTS, everything
from tests.memory.tools.tool_calls import call
from tests.memory.writing import actions, remember, stored


@pytest.mark.parametrize(("memory_type", "importance"), DEFAULTS.items())
def test_spec_c01_memory_write_applies_type_default_importance(
    space: Space, memory_type: str, importance: float
) -> None:
    """ "`memory_write` with `memory_type=identity` and no `importance` … Stored/output importance
    equals identity default and type is `identity`" """
    answer = call(space, "memory_write", content="User is called Jaz", memory_type=memory_type)

    memory = Memory.objects.get()
    assert (memory.memory_type, memory.importance) == (memory_type, importance)
    assert (answer.data["memory_type"], answer.data["importance"]) == (memory_type, importance)


@pytest.mark.parametrize("importance", [1.5, -0.1, float("nan"), "high", "0.7", True])
def test_spec_c02_memory_write_rejects_invalid_importance_override(
    space: Space, importance: object
) -> None:
    """ "`memory_write` with invalid `importance` (e.g. `1.5`) … Returns `memory_invalid_arguments`
    and no write occurs", also when the text is known already."""
    remember(space, "User likes pizza")
    before = everything(space)

    for content in ("User likes pizza", "User likes pasta"):
        with pytest.raises(InvalidArguments):
            call(space, "memory_write", content=content, importance=importance)

    assert everything(space) == before


def test_spec_c03_memory_read_and_search_include_type_and_importance(space: Space) -> None:
    """ "Entries written with and without explicit type/importance … Both outputs include
    `memory_type` and `importance`" """
    plain = call(space, "memory_write", content="User ate pizza in Rome").data
    typed = call(
        space,
        "memory_write",
        content="User prefers thin pizza",
        memory_type="preference",
        importance=0.95,
    ).data

    expected = {plain["id"]: ("observation", 0.3), typed["id"]: ("preference", 0.95)}
    for id_, (memory_type, importance) in expected.items():
        read = call(space, "memory_read", memory_id=id_)
        assert (read.data["memory_type"], read.data["importance"]) == (memory_type, importance)
        assert f"memory_type: {memory_type}, importance: {importance:g}" in read.text
    found = call(space, "memory_search", query="pizza")
    hits = [hit["memory"] for hit in found.data["results"]]
    assert {hit["id"]: (hit["memory_type"], hit["importance"]) for hit in hits} == expected
    assert "memory_type: preference, importance: 0.95" in found.text


def test_spec_c04_memory_search_boosts_higher_importance_records(space: Space) -> None:
    """ "Two records with same semantics, different importance values … Run search query …
    Higher-importance record ranks first" """
    low = call(space, "memory_write", content="User likes pizza", importance=0.2).data
    high = call(space, "memory_write", content="User enjoys eating pizza", importance=0.9).data

    results = call(space, "memory_search", query="pizza").data["results"]

    assert low["id"] != high["id"]
    assert [hit["memory"]["id"] for hit in results] == [high["id"], low["id"]]


def test_spec_c04_the_same_text_is_one_record_and_the_answer_says_so(space: Space) -> None:
    low = call(space, "memory_write", content="User likes pizza", importance=0.2)
    high = call(space, "memory_write", content="User likes pizza", importance=0.9)

    assert high.data["id"] == low.data["id"]
    assert high.text == (
        "Already known, so no second memory was saved; type and importance are updated:"
        f" User likes pizza (id: {low.data['short_id']}, memory_type: observation,"
        " importance: 0.9); kept forever"
    )


def test_spec_c05_default_paths_remain_backward_compatible(space: Space) -> None:
    """ "Legacy/default write path (no new args) … Defaults (`observation` + default importance) are
    used and no errors occur" """
    written = call(space, "memory_write", content="It rained in Oslo").data
    read = call(space, "memory_read", memory_id=written["id"]).data
    [hit] = call(space, "memory_search", query="rain").data["results"]

    for memory in (written, read, hit["memory"]):
        assert (memory["memory_type"], memory["importance"]) == ("observation", 0.3)


# --- Nothing is lost that the tool was told -------------------------------------------------


def test_a_type_given_for_a_known_text_is_applied(space: Space) -> None:
    """Seed 002, AC-1: "When a valid `memory_type` is provided, Then the stored record uses the
    default importance for that type." """
    known = remember(space, "User is called Jaz")

    answer = call(space, "memory_write", content="User is called Jaz.", memory_type="identity")

    assert answer.data["id"] == str(known.pk)
    assert (answer.data["memory_type"], answer.data["importance"]) == ("identity", 1.0)
    assert actions(known) == ["created", "reinforced", "revised"]
    [revision] = MemoryRevision.objects.filter(space=space)
    assert (revision.memory_type, revision.reason) == ("observation", "memory_write")


@pytest.mark.parametrize("importance", [0.1, 0.91, 1.0, 0.0])
def test_an_importance_given_for_a_known_text_is_applied(space: Space, importance: float) -> None:
    """Seed 002, In scope: "Extend `memory_write` arguments with optional `memory_type` and
    `importance`." The given one counts, not the one of a restatement."""
    known = remember(space, "User likes pizza", memory_type="preference", importance=0.91)

    answer = call(space, "memory_write", content="User likes pizza", importance=importance)

    assert (answer.data["id"], answer.data["importance"]) == (str(known.pk), importance)
    assert stored(known).memory_type == "preference"


@pytest.mark.parametrize("name", ["remember", "memory_write"])
def test_tags_given_for_a_known_text_are_added(space: Space, name: str) -> None:
    remember(space, "User likes pizza", tags=["food"])

    answer = call(space, name, content="User likes pizza", tags=["italy", "food"])

    assert answer.data["tags"] == ["food", "italy"]


def test_a_restatement_with_nothing_given_changes_no_text_type_or_tag(space: Space) -> None:
    known = remember(space, "User likes pizza", memory_type="preference", tags=["food"])

    call(space, "memory_write", content="User likes pizza!")

    assert not MemoryRevision.objects.exists()
    assert [event.action for event in MemoryEvent.objects.order_by("id")] == [
        *("created", "reinforced")
    ]
    assert (stored(known).memory_type, stored(known).tags) == ("preference", ["food"])


SEA = "User has always loved the sea"
CORE = {"P": 1.0, "valence": 0.8, "intensity": 0.9, "I": 0.5, "J": 0.8}


def test_what_is_given_for_a_core_memory_is_applied(space: Space) -> None:
    """Seed 002: "Persist `memory_type` and `importance`"; seed 003 exempts a core memory from
    automatic merging only."""
    known = remember(space, SEA, facets=CORE, tags=["sea"])

    answer = call(
        space, "memory_write", content=SEA, memory_type="identity", importance=0.5, tags=["blue"]
    )

    assert answer.text.startswith("Already known, so no second memory was saved; type and")
    row = stored(known)
    assert (row.memory_type, row.importance, row.tags) == ("identity", 0.5, ["sea", "blue"])
    assert row.core


def test_a_type_alone_keeps_the_importance_of_the_facets(space: Space) -> None:
    known = remember(space, SEA, facets=CORE)
    before = stored(known).importance

    call(space, "memory_write", content=SEA, memory_type="event")

    assert (stored(known).memory_type, stored(known).importance) == ("event", before)


def test_what_is_given_with_a_patch_is_applied(space: Space) -> None:
    known = remember(space, SEA, facets=CORE)
    said = "User no longer loves the sea"

    call(space, "memory_write", content=said, memory_type="identity", importance=0.95, tags=["dry"])

    row = stored(known)
    assert said in row.content
    assert (row.memory_type, row.importance, row.tags) == ("identity", 0.95, ["dry"])
