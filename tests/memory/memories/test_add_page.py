"""The page that adds a memory by hand."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from memory.models import Memory
from tests.conftest import Answer
from tests.memory.writing import remember
from tests.pages import login

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(space: Space, alice: User) -> Client:
    return login(alice)


def add(client: Client, space: Space, **fields: str) -> Answer:
    sent = {"content": "User likes pizza", "memory_type": "preference", "tags": ""} | fields
    answer: Answer = client.post(reverse("memory_add", args=[space.slug]), sent, follow=True)
    return answer


def test_the_list_leads_to_the_form_and_the_form_to_the_memory(
    client: Client, space: Space
) -> None:
    assert (
        reverse("memory_add", args=[space.slug])
        in client.get(reverse("memories", args=[space.slug])).content.decode()
    )

    page = add(client, space, tags="food, Italian，food", importance="0.9").content.decode()

    assert "Saved." in page
    memory = Memory.objects.get()
    assert memory.content == "User likes pizza"
    assert (memory.memory_type, memory.importance) == ("preference", 0.9)
    assert memory.tags == ["food", "italian"]
    assert memory.user_id is None


def test_without_an_importance_it_is_that_of_the_type(client: Client, space: Space) -> None:
    add(client, space, memory_type="goal", pinned="on")

    memory = Memory.objects.get()
    assert (memory.importance, memory.pinned) == (0.9, True)


def test_a_restatement_reinforces_the_memory(client: Client, space: Space) -> None:
    known = remember(space, "User likes pizza", memory_type="preference", now=timezone.now())

    page = add(client, space).content.decode()

    assert "Ebb already knew this. The memory was reinforced." in page
    assert [memory.pk for memory in Memory.objects.all()] == [known.pk]


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("content", "  ", "Enter 1 to 20,000 characters."),
        ("importance", "high", "Enter a number from 0 to 1, or leave this empty."),
        ("tags", "x" * 61, "Enter at most 20 tags, separated by commas, of at most 60"),
        ("tags", ",".join(f"t{n}" for n in range(21)), "Enter at most 20 tags"),
        ("user_id", "*", "Enter a name of at most 255 characters"),
    ],
)
def test_a_refused_form_keeps_what_was_typed(
    client: Client, space: Space, field: str, value: str, error: str
) -> None:
    remember(space, "Hers", now=timezone.now(), user_id="alice")  # so that users are asked for
    page = add(client, space, **{"content": "User hums in lifts", field: value}).content.decode()

    assert error in page
    assert "User hums in lifts" in page or field == "content"
    assert Memory.objects.count() == 1


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"memory_type": "goal"}, "It is kept forever."),
        ({"memory_type": "goal", "importance": "0.4"}, "It expires in 7 days unless it is used."),
        ({"importance": "0.4", "pinned": "on"}, "It is kept forever."),
        ({"importance": "nonsense"}, "It expires in 30 days unless it is used."),
    ],
)
def test_the_lifetime_is_shown_before_saving(
    client: Client, space: Space, sent: dict[str, str], said: str
) -> None:
    answer = client.get(reverse("memory_add_lifetime", args=[space.slug]), sent)

    assert said in answer.content.decode()
