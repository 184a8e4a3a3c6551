"""The API in a browser's session: CSRF, roles, spaces of others."""

import re
from typing import Any

from django.test import Client

from accounts.models import Space, User
from memory.models import Memory
from tests.conftest import Answer
from tests.memory.writing import remember


def session(user: User, **options: Any) -> Client:
    client = Client(**options)
    client.force_login(user)
    return client


def write(client: Client, **headers: str) -> Answer:
    return client.post(
        "/api/v1/memories",
        {"content": "User likes pizza"},
        content_type="application/json",
        headers=headers,
    )


def test_session_writes_with_a_csrf_token_only(alice: User, space: Space) -> None:
    client = session(alice, enforce_csrf_checks=True)
    refused = write(client)
    client.get("/")
    page = client.get(f"/s/{space.slug}/memories/")
    token = re.search(r'X-CSRFToken": "(\w+)"', page.content.decode())
    assert token is not None

    accepted = write(client, **{"X-CSRFToken": token.group(1)})

    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert accepted.status_code == 201, accepted.content
    assert Memory.objects.get().space_id == space.pk


def test_session_of_a_viewer_reads_and_does_not_write(bob: User, space: Space) -> None:
    client = session(bob)

    assert client.get("/api/v1/memories").status_code == 200
    assert write(client).status_code == 403
    assert not Memory.objects.exists()


def test_session_sees_no_foreign_space(alice: User, charlie: User, space: Space) -> None:
    remember(space, "User likes pizza")
    for user, slug, status in (
        (alice, "home", 200), (alice, "other", 404), (alice, "none", 404), (charlie, "home", 404),
        (charlie, "other", 200),
    ):  # fmt: skip
        answer = session(user).get("/api/v1/memories", headers={"X-Ebb-Space": slug})
        assert answer.status_code == status, (user, slug)
    assert session(charlie).get("/api/v1/memories").json()["items"] == []


def test_session_of_somebody_put_out_is_worth_nothing(alice: User, space: Space) -> None:
    client = session(alice)
    alice.is_active = False
    alice.save()

    assert client.get("/api/v1/memories").status_code in {401, 404}
