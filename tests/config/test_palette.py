"""The palette finds what a person may open, and nothing of other spaces."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.members.services import add_member
from accounts.models import Embedder, Role, Space, User
from chat.models import Conversation
from config.pages.navigation import SPACES_LISTED
from foundation.actors import SYSTEM
from tests.memory.writing import remember
from tests.pages import client, login, shown

__all__ = ["client"]

pytestmark = pytest.mark.django_db


def found(client: Client, space: Space, query: str = "") -> dict[str, str]:
    """Text → address of each result."""
    page = shown(client, space, "palette", q=query)
    links = re.findall(r'href="([^"]*)"><svg.*?</svg><span[^>]*>(.*?)</span>', page)
    return {text: url for url, text in links}


def test_without_a_query_it_lists_pages_actions_and_settings(client: Client, space: Space) -> None:
    results = found(client, space)

    assert results["Policy"] == "/s/home/policy/"
    assert results["Add memory"] == "/s/home/memories/add/"
    assert results["API keys: API access for your apps"] == "/s/home/settings/keys/"


def test_it_finds_memories_and_conversations_of_this_space(
    client: Client, space: Space, other_space: Space
) -> None:
    memory = remember(space, "User moved to Lisbon")
    talk = Conversation.objects.create(space=space, title="Lisbon trip")
    remember(other_space, "Lisbon is elsewhere")
    Conversation.objects.create(space=other_space, title="Lisbon elsewhere")

    assert found(client, space, "lisbon") == {
        "User moved to Lisbon": f"/s/home/memories/{memory.pk}/",
        "Search all memories by meaning": "/s/home/memories/?q=lisbon",
        "Lisbon trip": f"/s/home/c/{talk.pk}/",
    }


def test_texts_of_people_are_escaped(client: Client, space: Space) -> None:
    remember(space, "<b>loud</b>")

    assert "&lt;b&gt;loud&lt;/b&gt;" in found(client, space, "loud")


def test_a_viewer_gets_no_actions_of_owners(space: Space, bob: User) -> None:
    results = found(login(bob), space)

    assert "Create an API key" not in results
    assert not [text for text in results if text.startswith("API keys")]


def test_nothing_found_is_said(client: Client, space: Space) -> None:
    page = shown(client, space, "lifetimes")

    assert 'id="palette"' in page
    assert "Search all memories by meaning" in found(client, space, "zebra")


def test_the_switcher_searches_when_there_are_many_spaces(
    client: Client, space: Space, embedder: Embedder, alice: User
) -> None:
    assert "Search spaces" not in shown(client, space, "overview")
    for number in range(SPACES_LISTED):
        made = Space.objects.create(name=f"Team {number:02}", slug=f"t{number}", embedder=embedder)
        add_member(space=made, user=alice, role=Role.OWNER, actor=SYSTEM, now=timezone.now())

    page = shown(client, space, "overview")
    listed = page.split("spaces-found")[-1].split("</details>")[0]
    assert "Search spaces" in page
    assert listed.count("menu-item") == SPACES_LISTED
    assert "Team 11" not in listed
    assert "Team 11" in shown(client, space, "spaces_found", q="team 11")
    assert found(client, space, "team 11")["Team 11"] == reverse("playground", args=["t11"])


def test_a_space_of_others_is_not_found(client: Client, space: Space, other_space: Space) -> None:
    assert other_space.name not in shown(client, space, "spaces_found", q=other_space.name)
