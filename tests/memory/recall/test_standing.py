"""Standing rules: which memories say how to answer, and which of them are sent."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts.members.services import add_member
from accounts.models import Role, Space, User
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.models import Memory
from memory.models.policies import current_policy
from memory.policies.preview import preview_policy
from memory.recall.standing import owned_by_speaker, standing_rules
from memory.retention.recycle_bin import delete_memory
from memory.text.how_to_answer import says_how_to_answer
from tests.memory.writing import ALICE, NOW, hold, remember, set_policy

HERE = Path(__file__).parent


def sentences(name: str) -> list[tuple[str, bool]]:
    """The sentences of a file; + marks those that say how to answer."""
    lines = (HERE / f"{name}.txt").read_text("utf-8").splitlines()
    return [(line[2:], line.startswith("+")) for line in lines]


@pytest.mark.parametrize(("text", "wanted"), sentences("how_to_answer"))
def test_a_sentence_says_how_to_answer_or_not(text: str, wanted: bool) -> None:
    assert says_how_to_answer(text) is wanted


def test_in_other_wordings_seven_in_ten_are_recognised_and_nothing_else() -> None:
    held_out = sentences("how_to_answer_held")
    found = [wanted for text, wanted in held_out if says_how_to_answer(text)]
    assert all(found)
    assert len(found) / sum(wanted for _, wanted in held_out) >= 0.7


def test_a_long_text_is_no_wish() -> None:
    assert not says_how_to_answer("Keep answers short. " + "I walked along the river. " * 10)


def rules(space: Space, person: str | None = None) -> list[str]:
    document = current_policy(space).document
    found = standing_rules(space, person=person, rules=document, now=NOW)
    return [one.content for one in found]


def wish(space: Space, content: str, importance: float = 0.7, **draft: Any) -> Memory:
    given: dict[str, Any] = {"memory_type": "preference", "importance": importance} | draft
    return remember(space, content, **given)


@pytest.mark.django_db
def test_the_most_important_wishes_are_sent(space: Space, other_space: Space) -> None:
    wish(space, "Keep answers short", 0.6)
    wish(space, "Answer in Portuguese", 0.9)
    wish(space, "User wants to be called Al", 0.8, memory_type="identity")
    wish(space, "Never use emojis", 0.5)
    wish(space, "User likes pizza", 1.0)
    wish(space, "Use metric units", 1.0, memory_type="observation")
    wish(other_space, "Answer in Swedish", 1.0)
    assert rules(space) == [
        "Answer in Portuguese",
        "User wants to be called Al",
        "Keep answers short",
    ]


def join(space: Space, name: str, role: Role) -> None:
    user = User.objects.create_user(name)
    add_member(space=space, user=user, role=role, actor=SYSTEM, now=NOW)


@pytest.mark.django_db
def test_a_wish_applies_to_the_person_who_said_it(space: Space) -> None:
    wish(space, "Answer in Portuguese", 0.9, user_id="ana")
    wish(space, "Keep answers short", 0.8)
    wish(space, "Never use emojis", user_id="alice")
    join(space, "vera", Role.VIEWER)
    # Nobody but alice can have said what is shared. What is hers alone is nobody else's.
    assert rules(space, "alice") == ["Keep answers short", "Never use emojis"]
    assert rules(space, None) == ["Keep answers short"]
    assert rules(space, "ana") == ["Answer in Portuguese"]
    assert rules(space, "ben") == []

    join(space, "eve", Role.EDITOR)
    assert rules(space, "alice") == ["Never use emojis"]
    assert rules(space, "ana") == ["Answer in Portuguese"]
    for unknown in ("eve", None):
        assert rules(space, unknown) == []


@pytest.mark.django_db
def test_a_member_is_known_by_the_name_in_the_space(space: Space) -> None:
    space.memberships.filter(user__username="alice").update(name="ally")
    wish(space, "Keep answers short", 0.8)
    wish(space, "Never use emojis", user_id="ally")
    wish(space, "Answer in Portuguese", user_id="alice")

    assert rules(space, "ally") == ["Keep answers short", "Never use emojis"]
    assert rules(space, "alice") == ["Answer in Portuguese"]  # a program's user of this name


@pytest.mark.django_db
def test_a_space_without_members_has_wishes_too(space: Space) -> None:
    space.memberships.all().delete()
    wish(space, "Keep answers short")
    wish(space, "Never use emojis", user_id="ana")

    assert rules(space) == ["Keep answers short"]
    assert rules(space, "ana") == ["Never use emojis"]


@pytest.mark.django_db
def test_a_shared_wish_is_given_to_its_speaker(space: Space) -> None:
    def owner(content: str, person: str | None, **given: Any) -> str | None:
        draft = MemoryDraft(content=content, memory_type="preference", **given)
        return owned_by_speaker(space, draft, person).user_id

    assert owner("Answer in Portuguese", "alice") is None  # all that is shared is hers
    assert owner("Answer in Portuguese", "ana") == "ana"
    join(space, "eve", Role.EDITOR)
    assert owner("Answer in Portuguese", "alice") == "alice"
    assert owner("Answer in Portuguese", None) is None
    assert owner("Answer in Portuguese", "alice", user_id="ben") == "ben"
    assert owner("User likes pizza", "alice") is None


@pytest.mark.django_db
def test_importance_counts_as_it_is_now(space: Space) -> None:
    wish(space, "Keep answers short", 0.75, created_at=NOW - timedelta(days=400))
    wish(space, "Answer in Portuguese", 0.7)
    assert rules(space) == ["Answer in Portuguese", "Keep answers short"]


@pytest.mark.django_db
def test_deleted_wishes_and_those_in_review_are_not_sent(space: Space) -> None:
    deleted = wish(space, "Answer in Portuguese")
    delete_memory(space=space, memory_id=deleted.pk, actor=ALICE, now=NOW)
    hold(space, "Keep answers short", memory_type="preference")
    assert rules(space) == []


@pytest.mark.django_db
def test_the_policy_limits_them(space: Space) -> None:
    for content in ("Answer in Portuguese", "Keep answers short"):
        wish(space, content)
    set_policy(space, recall={"standing": 1})
    assert len(rules(space)) == 1
    set_policy(space, recall={"standing": 0})
    assert rules(space) == []


@pytest.mark.django_db
def test_the_preview_lists_those_that_stay(space: Space) -> None:
    wish(space, "Answer in Portuguese", 0.9)
    wish(space, "Keep answers short", 0.4)  # expires after a week
    later = NOW + timedelta(days=8)

    def listed(**recall: int) -> list[str]:
        changes = {"recall": recall}
        shown = preview_policy(space=space, changes=changes, queries=[], now=NOW, as_of=later)
        return [memory.content for memory in shown.standing]

    assert listed() == ["Answer in Portuguese"]
    assert listed(standing=0) == []
