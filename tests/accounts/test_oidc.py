"""Sign-in with an identity provider: accounts, and roles by groups."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.members.services import add_member
from accounts.models import InstallationAuditEntry, Role, Space, User
from foundation.actors import SYSTEM
from tests.accounts.oidc_settings import at_forger, at_provider, roles_of, user_in
from tests.identity_provider import (
    CALLBACK,
    Provider,
    come_back,
    connect,
    forger,
    parameter,
    provider,
    sign_in,
    start,
)
from tests.memory.writing import NOW
from tests.pages import login

__all__ = ["at_forger", "at_provider", "forger", "provider"]

PASSWORD = "a long password of alice"

pytestmark = pytest.mark.django_db


def test_the_first_sign_in_creates_an_account(at_provider: Provider) -> None:
    page = Client().get("/login/?next=/s/home/bin/").text
    assert "Sign in with <bdi>Example Login</bdi>" in page
    assert 'href="/login/oidc/?next=%2Fs%2Fhome%2Fbin%2F"' in page
    at_provider.knows("p-1", preferred_username="dana", email="dana@example.org")
    client = Client()

    where = start(client, next="/s/home/bin/")
    assert parameter(where, "code_challenge_method") == "S256"
    answer = come_back(client, at_provider.confirms(where, "p-1"))

    assert (answer.status_code, answer.headers["Location"]) == (302, "/s/home/bin/")
    dana = User.objects.get(username="dana")
    assert user_in(client) == "dana"
    assert (dana.email, dana.has_usable_password()) == ("dana@example.org", False)
    told = InstallationAuditEntry.objects.get()
    assert (told.action, told.subject, told.detail["subject"]) == ("account.created", "dana", "p-1")


def test_a_person_is_known_by_the_providers_id_alone(at_provider: Provider, alice: User) -> None:
    at_provider.knows("p-2", preferred_username="alice", email=alice.email)
    other = Client()
    sign_in(other, at_provider, "p-2")
    assert user_in(other) == "alice-2"

    at_provider.knows("p-2", preferred_username="renamed", email="new@example.org")
    again = Client()
    sign_in(again, at_provider, "p-2")
    assert user_in(again) == "alice-2"
    assert User.objects.count() == 2


def test_names_that_ebb_does_not_allow_are_made_to_fit(at_provider: Provider) -> None:
    for number, name in enumerate(("Dana Müller <x>", "  ", "名字")):
        at_provider.knows(f"odd-{number}", preferred_username=name)
        sign_in(Client(), at_provider, f"odd-{number}")

    names = set(User.objects.values_list("username", flat=True))
    assert names == {"DanaMüllerx", "user", "名字"}


def test_groups_give_roles_at_each_sign_in(
    at_provider: Provider, settings: Settings, space: Space, other_space: Space
) -> None:
    settings.EBB_OIDC_ROLES = [
        ("all", "home", "viewer"), ("staff", "home", "editor"), ("heads", "other", "owner"),
        ("all", "missing", "owner"),
    ]  # fmt: skip
    at_provider.knows("p-3", preferred_username="dana", groups=["all", "staff", "heads"])
    sign_in(Client(), at_provider, "p-3")
    assert roles_of("dana") == {"home": "editor", "other": "owner"}

    at_provider.knows("p-3", preferred_username="dana", groups=["all"])
    client = Client()
    sign_in(client, at_provider, "p-3")
    # The only owner of a space stays in it.
    assert roles_of("dana") == {"home": "viewer", "other": "owner"}
    assert client.get(reverse("members", args=["home"])).status_code == 200

    at_provider.knows("p-3", preferred_username="dana")
    sign_in(Client(), at_provider, "p-3")
    assert roles_of("dana") == {"other": "owner"}
    assert client.get(reverse("members", args=["home"])).status_code == 404


def test_spaces_without_a_rule_stay_as_they_are(
    at_provider: Provider, settings: Settings, space: Space, other_space: Space
) -> None:
    at_provider.knows("p-4", preferred_username="dana", roles="staff")
    sign_in(Client(), at_provider, "p-4")
    dana = User.objects.get(username="dana")
    add_member(space=other_space, user=dana, role=Role.EDITOR, actor=SYSTEM, now=NOW)
    settings.EBB_OIDC_ROLES = [("staff", "home", "owner")]
    settings.EBB_OIDC_GROUPS_CLAIM = "roles"

    sign_in(Client(), at_provider, "p-4")

    assert roles_of("dana") == {"home": "owner", "other": "editor"}


def test_accounts_are_not_created_unless_allowed(
    at_provider: Provider, settings: Settings, space: Space, alice: User
) -> None:
    settings.EBB_OIDC_CREATE_USERS = False
    at_provider.knows("p-5", preferred_username="alice")
    client = Client()
    answer = sign_in(client, at_provider, "p-5")
    assert answer.status_code == 403
    assert "You have no account here" in answer.text
    assert user_in(client) is None
    assert User.objects.count() == 1

    # alice connects her own account, and from then on comes in that way.
    hers = login(alice)
    assert "Connect <bdi>Example Login</bdi>" in hers.get(reverse("account", args=["home"])).text
    assert connect(hers, at_provider, "p-5", password=PASSWORD).status_code == 302
    assert "You can now sign in with Example Login." in hers.get("/", follow=True).text
    sign_in(client, at_provider, "p-5")
    assert user_in(client) == "alice"
    User.objects.update(is_active=False)
    assert sign_in(Client(), at_provider, "p-5").status_code == 403


def test_an_answer_works_once_and_in_one_browser(at_provider: Provider) -> None:
    at_provider.knows("p-8", preferred_username="dana")
    client, stranger = Client(), Client()
    back = at_provider.confirms(start(client), "p-8")
    start(stranger)  # the stranger has begun a sign-in, too

    assert come_back(stranger, back).status_code == 403
    assert come_back(Client(), back).status_code == 403
    assert not User.objects.exists()
    assert come_back(client, back).status_code == 302
    client.logout()
    again = come_back(client, back)
    assert again.status_code == 403
    assert "was already completed" in again.text
    assert user_in(client) is None
    # Nor does a new sign-in make an old answer good again.
    start(client)
    assert come_back(client, back).status_code == 403
    assert user_in(client) is None


def test_a_stolen_code_serves_no_other_browser(at_provider: Provider) -> None:
    at_provider.knows("p-11", preferred_username="dana")
    thief = Client()
    stolen = parameter(at_provider.confirms(start(Client()), "p-11"), "code")

    answer = thief.get(CALLBACK, {"code": stolen, "state": parameter(start(thief), "state")})

    assert answer.status_code == 403
    assert user_in(thief) is None
    assert not User.objects.exists()


def test_who_declines_is_not_signed_in(at_provider: Provider) -> None:
    client = Client()
    state = parameter(start(client), "state")

    answer = client.get(CALLBACK, {"error": "access_denied", "state": state})

    assert answer.status_code == 403
    assert "did not confirm who you are" in answer.text
    assert answer.headers["Cache-Control"].count("no-store")
