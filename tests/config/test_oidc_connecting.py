"""Connecting a provider's account to one's own: by a form, and with the password or a code."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memory.access.failures import MOST_PER_ACCOUNT
from memory.access.second_factor import new_secret, turn_on
from memory.models import Identity, User
from tests.authenticator import app_code
from tests.config.oidc_settings import at_forger, at_provider, user_in
from tests.identity_provider import (
    CONFIRM,
    Provider,
    come_back,
    connect,
    forger,
    provider,
    start,
    start_connecting,
)
from tests.pages import login

__all__ = ["at_forger", "at_provider", "forger", "provider"]

PASSWORD = "a long password of alice"

pytestmark = pytest.mark.django_db


def connected() -> list[tuple[str, str]]:
    return list(Identity.objects.values_list("user__username", "subject"))


def test_a_connected_person_belongs_to_one_account(
    at_provider: Provider, alice: User, bob: User
) -> None:
    for subject in ("p-6", "p-7"):
        at_provider.knows(subject)
    assert connect(login(alice), at_provider, "p-6", password=PASSWORD).status_code == 302
    for user, subject in ((bob, "p-6"), (alice, "p-7")):
        answer = connect(login(user), at_provider, subject, password=f"a long password of {user}")
        assert (answer.status_code, "Not connected" in answer.text) == (409, True)

    assert connected() == [("alice", "p-6")]


def test_only_a_form_of_ours_begins_to_connect(at_provider: Provider, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)

    assert client.get("/login/oidc/").headers["Location"] == "/"
    assert client.get("/login/oidc/", {"next": "/s/home/"}).headers["Location"] == "/s/home/"
    assert client.post("/login/oidc/").status_code in {403, 405}
    assert client.get("/login/oidc/connect/").status_code == 405
    assert client.post("/login/oidc/connect/").status_code == 403
    assert "sign_in" not in client.session
    assert Client().post("/login/oidc/connect/").headers["Location"] == "/login/"


def test_a_browser_with_scripts_is_sent_to_the_provider(at_provider: Provider, alice: User) -> None:
    answer = login(alice).post("/login/oidc/connect/", headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"].startswith(at_provider.url)


def test_connecting_needs_the_password(at_provider: Provider, alice: User) -> None:
    at_provider.knows("p-9", preferred_username="dana <b>")
    client = login(alice)
    assert come_back(client, at_provider.confirms(start_connecting(client), "p-9"))
    assert not connected()

    page = client.get(CONFIRM).text
    assert "dana &lt;b&gt;" in page
    assert 'autocomplete="current-password"' in page
    for wrong in ({}, {"password": "a guess"}, {"code": PASSWORD}):
        assert "Wrong password." in client.post(CONFIRM, wrong).text
    assert not connected()
    assert client.post(CONFIRM, {"password": PASSWORD}).status_code == 302
    assert connected() == [("alice", "p-9")]
    assert client.post(CONFIRM, {"password": PASSWORD}).status_code == 403


def test_connecting_needs_the_code_of_a_second_factor(at_provider: Provider, alice: User) -> None:
    secret, then = new_secret(), timezone.now() - timedelta(minutes=5)
    code = app_code(secret, then)
    codes = turn_on(user=alice, secret=secret, code=code, address="", now=then)
    at_provider.knows("p-10")
    client = login(alice)

    answer = connect(client, at_provider, "p-10", password=PASSWORD)

    assert "This code is wrong" in answer.text
    assert 'type="password"' not in answer.text
    assert not connected()
    assert client.post(CONFIRM, {"code": codes[0]}).status_code == 302
    assert connected() == [("alice", "p-10")]


@pytest.mark.parametrize("proof", ["password", "code"])
def test_neither_can_be_guessed_here(at_provider: Provider, alice: User, proof: str) -> None:
    right = PASSWORD
    if proof == "code":
        secret, then = new_secret(), timezone.now() - timedelta(minutes=5)
        code = app_code(secret, then)
        right = turn_on(user=alice, secret=secret, code=code, address="", now=then)[0]
    at_provider.knows("p-11")
    client = login(alice)
    connect(client, at_provider, "p-11")
    for _ in range(MOST_PER_ACCOUNT):
        client.post(CONFIRM, {proof: "000000"})

    assert "Too many failed attempts" in client.post(CONFIRM, {proof: right}).text
    assert not connected()


def test_an_account_without_password_and_factor_confirms(at_provider: Provider) -> None:
    guest = User.objects.create_user("guest")
    at_provider.knows("p-12")
    client = login(guest)
    come_back(client, at_provider.confirms(start_connecting(client), "p-12"))
    assert not connected()

    assert client.post(CONFIRM).status_code == 302
    assert connected() == [("guest", "p-12")]


def test_what_waits_for_a_password_ends(at_provider: Provider, alice: User, bob: User) -> None:
    at_provider.knows("p-13")
    client = login(alice)
    come_back(client, at_provider.confirms(start_connecting(client), "p-13"))
    session = client.session
    waiting = session["to_connect"]
    for other in (waiting | {"until": 0}, waiting | {"user": bob.pk}):
        session["to_connect"] = other
        session.save()
        assert client.get(CONFIRM).status_code == 403
        assert client.post(CONFIRM, {"password": PASSWORD}).status_code == 403
    for stranger in (Client(), login(alice), login(bob)):
        assert stranger.post(CONFIRM, {"password": PASSWORD}).status_code == 403
    assert not connected()


def test_an_answer_serves_its_own_purpose_only(
    at_provider: Provider, alice: User, bob: User
) -> None:
    at_provider.knows("p-14")
    client = Client()
    to_sign_in = at_provider.confirms(start(client), "p-14")
    assert client.post("/login/", {"username": "alice", "password": PASSWORD}).status_code == 302
    to_connect = at_provider.confirms(start_connecting(client), "p-14")

    # Begun in the same browser for a sign-in, in another browser, and by another user.
    for browser, back in (
        (client, to_sign_in),
        (login(alice), to_connect),
        (login(bob), to_connect),
        (Client(), to_connect),
        (client, at_provider.confirms(start_connecting(login(bob)), "p-14")),
        (client, at_provider.confirms(start(Client()), "p-14")),
    ):
        assert come_back(browser, back).status_code == 403
    # None of them spoils the one that was begun.
    assert come_back(client, to_connect).headers["Location"] == CONFIRM

    to_connect = at_provider.confirms(start_connecting(client), "p-14")
    client.logout()
    for user in (None, bob):
        if user:
            client.force_login(user)
        assert come_back(client, to_connect).status_code == 403
        assert user_in(client) == (user.username if user else None)
    assert not connected()
    assert User.objects.count() == 2
