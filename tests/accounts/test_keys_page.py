"""The page of keys: who sees it, what it makes, and that a secret stands there once."""

import re
from collections.abc import Mapping

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.keys.services import create_key
from accounts.models import ApiKey, Space, User
from foundation.actors import SYSTEM
from tests.conftest import ApiClient
from tests.pages import login


def test_only_owners_see_keys(space: Space, alice: User, bob: User, charlie: User) -> None:
    keys = reverse("keys", args=[space.slug])
    statuses = [login(user).get(keys).status_code for user in (alice, bob, charlie)]

    assert statuses == [200, 403, 404]
    index = reverse("settings", args=[space.slug])
    assert [keys in login(user).get(index).text for user in (alice, bob)] == [True, False]


def test_key_is_made_rotated_and_revoked(space: Space, alice: User) -> None:
    client = login(alice)

    def secret_at(name: str, form: Mapping[str, object], *args: object) -> str:
        answer = client.post(reverse(name, args=[space.slug, *args]), form)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"
        return str(re.findall(r"ebb_[\w-]{43}", answer.text)[0])

    form = {"name": "<phone>", "scopes": ["read"], "expires": "30", "rate_limit": "60"}
    first = secret_at("keys_create", form)
    key = ApiKey.objects.get()
    assert (key.name, key.scopes, key.rate_limit) == ("<phone>", ["read"], 60)
    assert ApiClient(first).get("memories").status_code == 200

    second = secret_at("keys_rotate", {"grace": "0"}, key.public_id)
    assert [ApiClient(s).get("memories").status_code for s in (first, second)] == [401, 200]

    page = client.post(reverse("keys_revoke", args=[space.slug, key.public_id])).text
    assert ApiClient(second).get("memories").status_code == 401
    assert "No API keys yet" in page
    assert re.findall(r"key (?:created|rotated|revoked)", page) == [
        "key revoked", "key rotated", "key created",
    ]  # fmt: skip
    assert first not in page + client.get(reverse("keys", args=[space.slug])).text
    assert "&lt;phone&gt;" in page


def test_a_new_key_comes_with_programs_that_use_it(space: Space, alice: User) -> None:
    client, url = login(alice), reverse("keys_create", args=[space.slug])
    page = client.post(url, {"name": "phone", "scopes": ["read", "write"]}).text
    [secret] = set(re.findall(r"ebb_[\w-]{43}", page))
    assert page.count(secret) == 5  # alone, and for curl, Python, TypeScript and MCP
    assert "/api/v1/memories -H" in page
    assert "from ebb_client import Ebb" in page
    assert "from &quot;ebb-client&quot;" in page
    assert "http://testserver/mcp" in page
    only_reads = client.post(url, {"name": "phone", "scopes": ["read"]}).text
    assert "ebb_client" not in only_reads


def test_the_form_says_whether_a_key_teaches(space: Space, alice: User) -> None:
    client, url = login(alice), reverse("keys_create", args=[space.slug])
    form = {"name": "phone", "scopes": ["read"]}
    assert "learning off" not in client.post(url, form | {"learns": "on"}).text
    assert "learning off" in client.post(url, form).text
    assert list(ApiKey.objects.order_by("pk").values_list("learns", flat=True)) == [True, False]


@pytest.mark.parametrize("wrong", [{"scopes": []}, {"rate_limit": "0"}, {"rate_limit": "many"}])
def test_what_is_wrong_is_said_and_makes_no_key(
    space: Space, alice: User, wrong: dict[str, object]
) -> None:
    form = {"name": "phone", "scopes": ["read"], "expires": "", "rate_limit": ""} | wrong

    page = login(alice).post(reverse("keys_create", args=[space.slug]), form).text

    assert 'role="alert"' in page
    assert not ApiKey.objects.exists()
    assert 'name="name" value="phone"' in page


def test_another_spaces_key_is_not_found(space: Space, alice: User, charlie: User) -> None:
    login(alice).post(reverse("keys_create", args=[space.slug]), {"scopes": ["read"]})
    key = ApiKey.objects.get()

    for name in ("keys_rotate", "keys_revoke"):
        answer = login(charlie).post(reverse(name, args=["other", key.public_id]))
        assert answer.status_code == 404
    assert ApiKey.objects.get(revoked_at=None) == key


def test_the_activity_log_says_values_in_the_readers_language(space: Space, alice: User) -> None:
    now = timezone.now()
    create_key(space=space, scopes=["read", "write"], name="phone", actor=SYSTEM, now=now)
    client = login(alice)
    keys = reverse("keys", args=[space.slug])
    assert "scopes read, write" in client.get(keys).text
    client.cookies["django_language"] = "zh-hans"
    assert "权限 读取, 写入" in client.get(keys).text
