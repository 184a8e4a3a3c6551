"""Connecting a provider's account to one's own: by a form, and with the password or a code."""

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from django.urls import reverse

from accounts.models import InstallationAuditEntry, Space, User
from tests.accounts.oidc_settings import at_forger, at_provider, user_in
from tests.factors import turn_on
from tests.identity_provider import (
    CONFIRM,
    Provider,
    come_back,
    connect,
    forger,
    provider,
    sign_in,
    start,
    start_connecting,
)
from tests.pages import login

__all__ = ["at_forger", "at_provider", "forger", "provider"]

PASSWORD = "a long password of alice"

pytestmark = pytest.mark.django_db


def connected() -> list[tuple[str, str]]:
    return list(SocialAccount.objects.values_list("user__username", "uid"))


def test_a_connected_person_belongs_to_one_account(
    at_provider: Provider, alice: User, bob: User, space: Space
) -> None:
    at_provider.knows("p-6")
    assert connect(login(alice), at_provider, "p-6", password=PASSWORD).status_code == 302
    his = login(bob)
    connect(his, at_provider, "p-6", password="a long password of bob")

    assert connected() == [("alice", "p-6")]
    page = his.get(reverse("account", args=["home"])).text
    assert "already connected to a different account" in page
    [told] = InstallationAuditEntry.objects.values_list("action", "actor_name", "detail__subject")
    assert told == ("account.connected", "alice", "p-6")


def test_only_a_form_of_ours_begins_to_connect(at_provider: Provider, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)

    assert client.get("/login/oidc/").headers["Location"] == "/"
    assert client.get("/login/oidc/", {"next": "/s/home/"}).headers["Location"] == "/s/home/"
    assert client.post("/login/oidc/").status_code in {403, 405}
    assert client.get("/login/oidc/connect/").status_code == 405
    assert client.post("/login/oidc/connect/").status_code == 403
    assert "socialaccount_states" not in client.session
    assert Client().post("/login/oidc/connect/").headers["Location"] == "/login/"


def test_a_browser_with_scripts_is_sent_to_the_provider(at_provider: Provider, alice: User) -> None:
    answer = login(alice).post("/login/oidc/connect/", headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"].startswith(at_provider.url)


def test_connecting_needs_the_password(at_provider: Provider, alice: User) -> None:
    at_provider.knows("p-9", preferred_username="alice", email=alice.email)
    client = login(alice)

    answer = connect(client, at_provider, "p-9", password="a guess")

    assert "Incorrect password" in answer.text
    assert not connected()
    assert client.post(CONFIRM, {"password": PASSWORD}).headers["Location"] == "/account/"
    assert connected() == [("alice", "p-9")]


def test_who_has_a_second_factor_connects_by_a_code_and_is_asked_at_each_sign_in(
    at_provider: Provider, alice: User
) -> None:
    codes = turn_on(alice).codes
    at_provider.knows("p-10")
    client = login(alice)
    back = come_back(client, at_provider.confirms(start_connecting(client), "p-10"))
    assert back.headers["Location"] == f"{CONFIRM}code/"
    assert client.post(CONFIRM, {"password": PASSWORD}).headers["Location"] == f"{CONFIRM}code/"
    assert not connected()
    assert client.post(f"{CONFIRM}code/", {"code": codes[0]}).status_code == 302
    assert connected() == [("alice", "p-10")]

    other = Client()
    assert sign_in(other, at_provider, "p-10").headers["Location"] == "/login/code/"
    assert user_in(other) is None
    other.post("/login/code/", {"code": codes[1]})
    assert user_in(other) == "alice"


def test_an_account_without_password_and_factor_is_connected(at_provider: Provider) -> None:
    guest = User.objects.create_user("guest")
    at_provider.knows("p-12")
    client = login(guest)

    come_back(client, at_provider.confirms(start_connecting(client), "p-12"))

    assert connected() == [("guest", "p-12")]


def test_an_answer_serves_one_browser(at_provider: Provider, alice: User, bob: User) -> None:
    at_provider.knows("p-14")
    client = login(alice)
    to_connect = at_provider.confirms(start_connecting(client), "p-14")

    for browser, back in (
        (login(alice), to_connect),
        (login(bob), to_connect),
        (Client(), to_connect),
        (client, at_provider.confirms(start_connecting(login(bob)), "p-14")),
        (client, at_provider.confirms(start(Client()), "p-14")),
    ):
        assert come_back(browser, back).status_code == 403
    # None of them spoils the one that was begun, but logging out does.
    client.logout()
    client.force_login(bob)
    assert come_back(client, to_connect).status_code == 403
    assert not connected()
    assert User.objects.count() == 2
