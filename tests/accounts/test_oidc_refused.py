"""Answers of a forging provider, and everything else that a sign-in refuses."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Space, User
from tests.accounts.oidc_settings import at_forger, at_provider, user_in
from tests.identity_provider import (
    CALLBACK,
    CLIENT,
    Forger,
    another_key,
    forger,
    parameter,
    provider,
    start,
)
from tests.pages import login

__all__ = ["at_forger", "at_provider", "forger", "provider"]

pytestmark = pytest.mark.django_db


def returned(client: Client, forger: Forger, **query: str) -> Any:
    """A whole sign-in at the forging provider."""
    where = start(client, **query)
    forger.nonce = parameter(where, "nonce")
    return client.get(CALLBACK, {"code": "c", "state": parameter(where, "state")})


def test_the_forging_provider_is_believed_when_it_does_not_forge(at_forger: Forger) -> None:
    at_forger.userinfo = {"email": "dana@example.org", "preferred_username": "unsigned"}
    client = Client()

    assert returned(client, at_forger).status_code == 302
    assert user_in(client) == "dana"
    assert User.objects.get().email == "dana@example.org"


def forge(**attributes: Any) -> Callable[[Forger], None]:
    def change(forger: Forger) -> None:
        for name, value in attributes.items():
            setattr(forger, name, value)

    return change


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda one: forge(signs_with=another_key())(one), id="signature"),
        pytest.param(forge(is_signed=False), id="unsigned"),
        pytest.param(
            forge(is_signed=False, algorithms=["RS256", "none"]), id="unsigned, as announced"
        ),
        pytest.param(forge(claims={"aud": "another client"}), id="audience"),
        pytest.param(
            forge(claims={"aud": "another client", "azp": CLIENT}), id="audience of another"
        ),
        pytest.param(forge(claims={"aud": [CLIENT, "b"], "azp": "b"}), id="authorised party"),
        pytest.param(forge(claims={"iss": "http://other.example"}), id="issuer"),
        pytest.param(forge(claims={"exp": 1_000_000}), id="expired"),
        pytest.param(forge(claims={"nonce": "of another browser"}), id="nonce"),
        pytest.param(forge(claims={"nonce": None}), id="no nonce"),
        pytest.param(forge(claims={"sub": None}), id="nobody"),
        pytest.param(forge(sends_id_token=False), id="no token"),
        pytest.param(forge(userinfo={"sub": "p-2"}), id="userinfo of another"),
    ],
)
def test_forged_answers_are_refused(at_forger: Forger, change: Callable[[Forger], None]) -> None:
    client = Client()
    change(at_forger)

    answer = returned(client, at_forger)

    assert answer.status_code == 403, answer.text
    assert user_in(client) is None
    assert not User.objects.exists()


@pytest.mark.parametrize("query", [{"state": ""}, {"state": "guessed"}])
def test_a_callback_that_does_not_fit_asks_the_provider_nothing(
    at_forger: Forger, query: dict[str, str]
) -> None:
    client = Client()
    start(client)
    asked = len(at_forger.requests)

    assert client.get(CALLBACK, {"code": "c", **query}).status_code == 403
    assert Client().get(CALLBACK, {"code": "c", "state": "s"}).status_code == 403

    assert at_forger.requests[asked:] == []
    assert not User.objects.exists()


@pytest.mark.parametrize("fault", [{"status": 500}, {"issuer": "http://other.example"}])
def test_a_provider_that_does_not_answer_is_said(at_forger: Forger, fault: dict[str, Any]) -> None:
    forge(**fault)(at_forger)

    answer = Client().get("/login/oidc/")

    assert answer.status_code == 503
    assert "<bdi>Example Login</bdi> does not answer" in answer.text


@pytest.mark.parametrize("wish", ["https://evil.example/", "//evil.example/", "/\\evil.example"])
def test_a_sign_in_leads_to_our_pages_only(at_forger: Forger, wish: str) -> None:
    assert returned(Client(), at_forger, next=wish).headers["Location"] == "/"


def test_passwords_can_be_switched_off(
    at_forger: Forger, settings: Settings, space: Space, alice: User
) -> None:
    settings.EBB_LOCAL_LOGIN = False
    client, words = Client(), {"login": "alice", "password": "a long password of alice"}
    assert 'type="password"' not in client.get("/login/").text
    for form in ("/login/", "/admin/login/"):
        client.post(form, words)
        assert user_in(client) is None
    hers = login(alice)
    account = hers.get(reverse("account", args=["home"])).text
    assert 'type="password"' not in account
    assert "Second factor" not in account
    for page in ("factor/", "password/"):
        assert hers.get(f"/account/{page}").status_code == 404

    asked = {"username": "dana", "role": "viewer"}
    page = hers.post(reverse("members_invite", args=["home"]), asked).text
    assert "/invitation/?token=" in page
    assert not User.objects.filter(username="dana").exists()


def test_without_a_provider_nothing_of_it_is_shown() -> None:
    assert "Sign in with" not in Client().get("/login/").text
    for address in ("/login/oidc/", CALLBACK):
        assert Client().get(address).headers["Location"] == "/login/"
