"""The page Connect: each host's text, with the address and a key that works."""

import json
import re

import pytest
from django.urls import reverse

from accounts.keys.connecting import HOSTS, PLACEHOLDER
from accounts.models import ApiKey, Space, User
from tests.conftest import ApiClient
from tests.pages import login


def test_only_owners_connect(space: Space, alice: User, bob: User, charlie: User) -> None:
    page = reverse("connect", args=[space.slug])
    assert [login(user).get(page).status_code for user in (alice, bob, charlie)] == [200, 403, 404]
    create = reverse("connect_create", args=[space.slug])
    assert login(bob).post(create, {"host": "curl"}).status_code == 403
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_a_key_is_created_and_filled_in(space: Space, alice: User, host: object) -> None:
    assert isinstance(host, type(HOSTS[0]))
    client = login(alice)
    before = client.get(reverse("connect", args=[space.slug]), {"host": host.name}).text
    assert PLACEHOLDER in before
    assert "http://testserver" in before

    answer = client.post(reverse("connect_create", args=[space.slug]), {"host": host.name})

    assert answer.headers["Cache-Control"] == "no-store"
    [secret] = set(re.findall(r"ebb_[\w-]{43}", answer.text))
    assert PLACEHOLDER not in answer.text
    assert ApiClient(secret).get("memories").status_code == 200
    key = ApiKey.objects.get()
    assert (key.name, key.scopes) == (host.title, ["read", "write"])


def test_texts_for_files_are_json() -> None:
    texts = [host.filled("http://127.0.0.1:8000", "ebb_key") for host in HOSTS]
    files = [json.loads(text) for text in texts if text.startswith("{")]
    assert len(files) == 3
    assert all("ebb_key" in text and "127.0.0.1:8000" in text for text in texts)
    assert not any("EBB_KEY" in text or "EBB_URL" in text for text in texts)


def test_python_texts_are_programs() -> None:
    """An `async with` outside a function, for example, would not run as a file."""
    texts = {host.name: host.filled("http://127.0.0.1:8000", "ebb_key") for host in HOSTS}
    programs = {name: text for name, text in texts.items() if "from ebb_client" in text}
    assert len(programs) == 7
    for name, text in programs.items():
        compile(text, name, "exec")
