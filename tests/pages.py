"""Pages as a person's browser asks for them, without a browser."""

import re

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User

HTMX = {"HX-Request": "true"}


def login(user: User) -> Client:
    """The browser of somebody who is logged in, and whose session is noted: that happens once in
    five minutes, and is no part of the questions that a page asks."""
    client = Client()
    client.force_login(user)
    caches["process"].set(f"session-noted:{client.session.session_key}", True)
    return client


@pytest.fixture
def client(alice: User) -> Client:
    """The browser of alice, who owns `space`."""
    return login(alice)


def shown(client: Client, space: Space, name: str, **query: str) -> str:
    """A page of the space as HTML."""
    answer = client.get(reverse(name, args=[space.slug]), query)
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def texts(page: str) -> list[str]:
    """Return the texts of the memories on a page, in order."""
    return re.findall(r'<p class="memory-text"[^>]*>(.*?)</p>', page)
