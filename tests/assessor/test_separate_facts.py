"""Each fact of an assessment is a memory of its own, and all of them are written at once."""

import json
from typing import Any

import pytest
from django.db import ProgrammingError, connection

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.facts import Fact
from assessor.models import Assessment, State
from assessor.outbox import services
from assessor.outbox.retractions import reinstate, retract
from assessor.reassessing import to_assess
from endpoints.mem0.shapes import results_out
from memory.models import Memory
from memory.recall.recall import SearchRequest, recall
from memory.retention.recycle_bin import delete_memory, purge_memory
from memory.review.services import approve_memory
from tests.assessor.outbox import NOW, SECOND, again, assessment_result, claim, claimed
from tests.assessor.test_screening_pipeline import PLANTED
from tests.memory.writing import ALICE, actions, learn, remember, set_policy, stored

pytestmark = pytest.mark.django_db

NADIA = "I'm Nadia, a paramedic in Ghent. My daughter Lotte is nine. I had soup today."
FACTS = (
    ("I'm Nadia, a paramedic in Ghent", 0.9, "identity"),
    ("My daughter Lotte is nine", 0.6, "fact"),
    ("I had soup today", 0.1, "observation"),
)


def fact(text: str, importance: float = 0.8, kind: Any = "fact") -> Fact:
    return Fact(text, importance, kind, [kind], [])


def told(*facts: Fact, **changes: Any) -> dict[str, Any]:
    """The values of a result with these facts."""
    best = max(facts, key=lambda one: one.importance)
    summary = ".\n".join(one.text for one in facts)
    values = {"importance": best.importance, "memory_type": best.memory_type, "summary": summary}
    return values | {"facts": facts} | changes


def taught(space: Space, *facts: Fact, said: str = NADIA, **changes: Any) -> Assessment:
    """The exchange after its assessment with these facts."""
    return services.store_assessed(
        space=space,
        exchange=Exchange(said, "Noted.", **changes),
        result=assessment_result(**told(*facts)),
        now=NOW,
    )


def reassessed(row: Assessment, *facts: Fact) -> Assessment:
    Assessment.objects.filter(pk=row.pk).update(state=State.QUEUED, attempts=0, due_at=NOW)
    taken = claim(row, NOW + SECOND)
    assert taken is not None
    services.finish(assessment=taken, result=assessment_result(**told(*facts)), now=NOW + SECOND)
    return again(row)


def live(space: Space) -> set[str]:
    return set(Memory.objects.in_space(space).live().values_list("content", flat=True))


def test_each_fact_worth_it_is_a_memory_with_its_own_values(space: Space) -> None:
    row = taught(space, *(fact(*one) for one in FACTS), user_id="nadia")

    assert (row.state, row.importance, row.memory_type) == (State.DONE, 0.9, "identity")
    assert row.summary == ".\n".join(text for text, *_ in FACTS)
    who, daughter = row.memories
    assert [(one.content, one.memory_type, one.importance) for one in (who, daughter)] == [
        (text, kind, importance) for text, importance, kind in FACTS[:2]
    ]
    assert (who.tags, daughter.tags, who.user_id) == (["identity"], ["fact"], "nadia")
    assert who.expires_at is None
    assert daughter.expires_at is not None
    assert [one.source_place for one in row.memories] == [0, 1]
    assert all(lesson.is_new for lesson in row.lessons)
    assert {one.source_assessment for one in row.memories} == {row.pk}


def test_the_policy_may_make_an_exchange_one_memory(space: Space) -> None:
    """Seed 001: one MemoryWriteIntent."""
    set_policy(space, assessment={"facts": "one"})
    [memory] = taught(space, *(fact(*one) for one in FACTS)).memories
    assert memory.content == ".\n".join(text for text, *_ in FACTS) + " (18 February 2026)"
    assert memory.importance == 0.9


def test_no_fact_ends_another_of_its_message(space: Space) -> None:
    old = learn(space, "I live in Lyon")
    row = taught(
        space, fact("I lived in Lyon until May"), fact("I live in Porto now"),
        said="I lived in Lyon until May, I live in Porto now",
    )  # fmt: skip
    assert stored(old).status == "binned" or "[" in stored(old).content
    assert {one.status for one in row.memories} == {"live"}
    for one in row.memories:
        assert "deleted" not in actions(one)

    taught(space, fact("I love coriander"), fact("I hate coriander"), said="I love and hate it")
    assert {"I love coriander", "I hate coriander"} <= live(space)


def test_what_a_message_says_twice_is_one_memory(space: Space) -> None:
    row = taught(space, fact("I live in Porto"), fact("I live in Porto!", 0.9))
    [memory] = row.memories
    assert actions(memory) == ["created"]


def test_a_known_fact_confirms_its_memory_and_the_others_are_new(space: Space) -> None:
    known = remember(space, "My daughter Lotte is nine", memory_type="fact", importance=0.5)
    row = taught(space, *(fact(*one) for one in FACTS))
    assert [(one.memory.content, one.is_new) for one in row.lessons] == [
        (FACTS[0][0], True), (FACTS[1][0], False),
    ]  # fmt: skip
    assert stored(known).importance > 0.5


def test_all_are_written_or_none(space: Space) -> None:
    row = claimed(space)
    result = assessment_result(**told(*(fact(*one) for one in FACTS)))
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION pg_temp.fail() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN IF NEW.source_place = 1 THEN RAISE 'broken'; END IF; RETURN NEW; END$$"
        )
        cursor.execute(
            "CREATE TRIGGER fails BEFORE INSERT ON memory_memory"
            " FOR EACH ROW EXECUTE FUNCTION pg_temp.fail()"
        )
    with pytest.raises(ProgrammingError):
        services.finish(assessment=row, result=result, now=NOW)
    assert (again(row).state, live(space)) == (State.RUNNING, set())

    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER fails ON memory_memory")
    assert len(services.finish(assessment=row, result=result, now=NOW)) == 2
    assert services.finish(assessment=row, result=result, now=NOW) == []
    assert len(live(space)) == 2


def test_an_edited_message_takes_all_its_facts_back_and_brings_them_again(space: Space) -> None:
    row = taught(space, *(fact(*one) for one in FACTS))
    taught(space, fact("My daughter Lotte is nine"), said="Lotte is nine")
    which: Any = {"space": space, "assessment_ids": [row.pk], "written_ids": [], "actor": ALICE}
    retract(**which, now=NOW + SECOND)
    assert live(space) == {"My daughter Lotte is nine"}, "another message says it too"
    reinstate(**which, retracted_at=NOW + SECOND, now=NOW + 2 * SECOND)
    assert live(space) == {FACTS[0][0], FACTS[1][0]}


def test_the_facts_of_an_attack_wait_each_and_may_be_approved_each(space: Space) -> None:
    said = f"{PLANTED} I love coriander and I hate coriander."
    row = taught(space, fact("I love coriander"), fact("I hate coriander"), said=said)
    assert {one.status for one in row.memories} == {"review"}
    assert recall(space, SearchRequest("coriander"), now=NOW).results == []
    for one in row.memories:
        approve_memory(space=space, memory_id=one.pk, actor=ALICE, now=NOW)
    assert live(space) == {"I love coriander", "I hate coriander"}


def test_each_memory_goes_by_its_own_fact_when_assessed_again(space: Space) -> None:
    row = taught(space, *(fact(text, 0.6) for text, *_ in FACTS))
    who, daughter, soup = row.memories
    delete_memory(space=space, memory_id=who.pk, actor=ALICE, now=NOW)

    row = reassessed(
        row, fact(FACTS[0][0]), fact("Lotte is nine", 0.9, "identity"), fact("I work in Ghent", 0.5)
    )

    assert stored(who).status == "binned", "what a person deleted stays away"
    assert (stored(daughter).importance, stored(daughter).memory_type) == (0.9, "identity")
    assert stored(daughter).content == FACTS[1][0]
    assert stored(soup).bin_reason == "superseded"
    assert row.state == State.DONE


def test_a_fact_that_was_overlooked_is_added_when_assessed_again(space: Space) -> None:
    row = reassessed(taught(space, fact(*FACTS[1])), *(fact(*one) for one in FACTS[:2]))
    assert [one.content for one in row.memories] == [FACTS[1][0], FACTS[0][0]]
    assert [one.source_place for one in row.memories] == [0, 1]


def test_after_one_memory_is_purged_the_others_stay_as_they_are(space: Space) -> None:
    row = taught(space, *(fact(*one) for one in FACTS))
    gone, kept = row.memories
    delete_memory(space=space, memory_id=gone.pk, actor=ALICE, now=NOW)
    purge_memory(space=space, memory_id=gone.pk, actor=ALICE, now=NOW)
    row = again(row)
    assert (row.memories, row.user_message, row.summary) == ([kept], "", "")
    assert not to_assess(space, model="stub").exists(), "it has no words to assess"


def test_mem0_is_told_of_each(space: Space) -> None:
    remember(space, FACTS[1][0], memory_type="fact")
    row = taught(space, *(fact(*one) for one in FACTS))
    assert [(one["memory"], one["event"]) for one in results_out([row])] == [
        (FACTS[0][0], "ADD"), (FACTS[1][0], "UPDATE"),
    ]  # fmt: skip


def test_a_secret_alone_is_no_memory_and_beside_a_fact_it_is_masked(space: Space) -> None:
    card = "4111 1111 1111 1111"
    said = f"I moved to Oslo. My card is {card}"
    row = taught(space, fact(card), fact(said), said=said)
    [memory] = row.memories
    assert memory.content.startswith("I moved to Oslo.")
    assert card not in json.dumps([row.summary, memory.content, memory.tags])
