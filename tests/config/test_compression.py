"""Pages go compressed to those who take them so; the rest goes as it is."""

import gzip

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User
from tests.memory.writing import remember

pytestmark = pytest.mark.django_db


def test_a_page_is_compressed_for_whoever_takes_it(space: Space, alice: User) -> None:
    remember(space, "User moved to Lisbon")
    client, page = Client(), reverse("memories", args=["home"])
    client.force_login(alice)

    answer = client.get(page, headers={"Accept-Encoding": "gzip, br"})
    plain = client.get(page)

    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert b"User moved to Lisbon" in gzip.decompress(answer.content)
    assert b"User moved to Lisbon" in plain.content
    assert len(answer.content) < len(plain.content) / 2


def test_programs_and_small_answers_get_theirs_as_they_are(space: Space) -> None:
    client = Client()

    for path in ("/api/v1/health/live", "/api/v1/openapi.json"):
        answer = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200
        assert "Content-Encoding" not in answer.headers
