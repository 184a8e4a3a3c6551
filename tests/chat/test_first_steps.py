"""The first minutes in a space: what to try, the sample memories, the checklist."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space, User
from assessor.models import Assessment
from chat.models import Message
from chat.replies.turns import NewConversation, begin_turn
from foundation.actors import SYSTEM
from memory.memories.samples import samples_in
from memory.models import Memory
from memory.retention.recycle_bin import delete_memory
from memory.store.services import create_memories
from operations.startup.demo import sample_memories
from tests.assessor.outbox import taught
from tests.memory.writing import ALICE, remember
from tests.pages import HTMX, client, login, shown

__all__ = ["client"]

NOW = timezone.now()
STEPS = ["Say something", "See it saved", "Ask in a new conversation", "See why", "Forget it"]


def done(client: Client, space: Space) -> list[str]:
    """The ticked steps."""
    page = shown(client, space, "first_steps")
    assert len(re.findall(r'<li class="step', page)) == len(STEPS)
    found = re.findall(
        r'<li class="step done".*?<span class="step-label">([^<]*)</span>\s*</li>', page, re.DOTALL
    )
    return found


def answered(space: Space, user: User, *, minutes: int, **fields: object) -> Message:
    at = NOW + timedelta(minutes=minutes)
    reply = begin_turn(space=space, text="I moved", now=at, conversation=NewConversation(user))
    Message.objects.filter(pk=reply.pk).update(state="done", content="Noted.", **fields)
    return reply


def test_each_step_ticks_itself(client: Client, space: Space, alice: User, bob: User) -> None:
    known, earlier = remember(space, "User moved to Lisbon"), remember(space, "User sings")
    answered(space, bob, minutes=0)
    delete_memory(space=space, memory_id=earlier.pk, actor=ALICE, now=NOW)  # before the first step
    assert done(client, space) == []

    first = answered(space, alice, minutes=1, recalled=[{"memory": {"id": str(known.pk)}}])
    assert done(client, space) == STEPS[:1]
    assert first.assessment_id is not None
    taught(Assessment.objects.get(pk=first.assessment_id), known)
    assert done(client, space) == STEPS[:2]
    answered(space, alice, minutes=2)  # recalled nothing
    assert done(client, space) == STEPS[:2]
    later = answered(space, alice, minutes=3, missed=[], recalled=[])
    Message.objects.filter(pk=later.pk).update(recalled=[{"memory": {"id": str(known.pk)}}])
    assert done(client, space) == STEPS[:3]
    client.get(reverse("why", args=[space.slug, answered(space, alice, minutes=4).pk]))
    assert done(client, space) == STEPS[:4]
    delete_memory(space=space, memory_id=known.pk, actor=ALICE, now=NOW + timedelta(minutes=5))
    assert done(client, space) == STEPS
    assert "hx-trigger" not in shown(client, space, "first_steps").split("<ol")[0]


def test_the_checklist_is_hidden_for_one_person_in_all_spaces(
    client: Client, space: Space, alice: User
) -> None:
    assert 'id="steps"' in shown(client, space, "playground")
    assert client.post(reverse("first_steps_hide", args=[space.slug])).content == b""
    assert 'id="steps"' not in shown(client, space, "playground")
    alice.refresh_from_db()
    assert alice.hid_first_steps_at is not None


def test_sample_memories_are_cleared_in_one_action_and_taken_back(
    client: Client, space: Space
) -> None:
    create_memories(space=space, drafts=sample_memories(NOW), actor=SYSTEM, now=NOW)
    own = remember(space, "User moved to Lisbon")
    page = shown(client, space, "playground")
    assert "12 sample memories about Mara" in page
    assert page.count("data-says=") == 3
    assert "Where does Mara keep her bees" in page

    answer = client.post(reverse("samples_clear", args=[space.slug]), headers=HTMX)
    page = answer.content.decode()
    assert "12 sample memories moved to the bin." in page
    assert "Mara" not in page
    assert list(Memory.objects.in_space(space).live()) == [own]
    assert done(client, space) == []  # clearing samples is not the last step

    [undo] = re.findall(r'hx-post="(/s/[^"]*/undo/[^"]*)"', page)
    assert client.post(undo, headers=HTMX).status_code == 200
    assert samples_in(space).live().count() == 12


def test_a_space_without_samples_says_nothing_of_them(client: Client, space: Space) -> None:
    page = shown(client, space, "playground")
    assert "sample memor" not in page
    assert "Mara" not in page
    assert page.count("data-says=") == 3


def test_a_model_is_offered_where_none_is_connected(
    client: Client, space: Space, settings: Settings
) -> None:
    said = "No language model is connected"
    assert said in shown(client, space, "playground")
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "key", "http://127.0.0.1:9/v1"
    settings.EBB_CHAT_MODEL = "stub"
    assert said not in shown(client, space, "playground")


@pytest.mark.parametrize("name", ["first_steps_hide", "samples_clear"])
def test_a_viewer_has_no_first_steps(space: Space, bob: User, name: str) -> None:
    assert 'id="steps"' not in shown(login(bob), space, "playground")
    assert login(bob).post(reverse(name, args=[space.slug])).status_code == 403
