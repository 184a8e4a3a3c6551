"""Pages as a person's browser asks for them, without a browser."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User

HTMX = {"HX-Request": "true"}


def login(user: User) -> Client:
    """The browser of somebody who is logged in."""
    client = Client()
    client.force_login(user)
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
