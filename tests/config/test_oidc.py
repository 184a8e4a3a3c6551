"""Sign-in with an identity provider: accounts, roles by groups, and everything that is refused."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from memory.access.failures import MOST_PER_ACCOUNT
from memory.access.members import add_member
from memory.access.second_factor import new_secret, turn_on
from memory.actors import SYSTEM
from memory.models import Identity, InstallationAuditEntry, Membership, Role, Space, User
from tests.authenticator import app_code
from tests.identity_provider import (
    CALLBACK,
    CLIENT,
    CONFIRM,
    Forger,
    Provider,
    another_key,
    come_back,
    connect,
    forger,
    parameter,
    provider,
    sign_in,
    start,
    start_connecting,
)
from tests.memory.writing import NOW
from tests.pages import login

__all__ = ["forger", "provider"]

PASSWORD = "a long password of alice"

pytestmark = pytest.mark.django_db


def use(settings: Settings, url: str) -> None:
    """Sets Ebb up for the provider at this address."""
    settings.EBB_OIDC_ISSUER = url
    settings.EBB_OIDC_CLIENT_ID = CLIENT
    settings.EBB_OIDC_CLIENT_SECRET = "a secret"
    settings.EBB_OIDC_NAME = "Example Login"


@pytest.fixture
def at_provider(provider: Provider, settings: Settings) -> Provider:
    """The real provider, which Ebb is set up for."""
    use(settings, provider.url)
    return provider


@pytest.fixture
def at_forger(forger: Forger, settings: Settings) -> Forger:
    """The forging provider, which Ebb is set up for."""
    use(settings, forger.url)
    return forger


def user_in(client: Client) -> str | None:
    """The name of the user who is logged in."""
    found = User.objects.filter(pk=client.session.get("_auth_user_id", 0)).first()
    return found.username if found else None


def roles_of(name: str) -> dict[str, str]:
    rows = Membership.objects.filter(user__username=name)
    return dict(rows.values_list("space__slug", "role"))


# --- The real provider ------------------------------------------------------------------------


def test_the_first_sign_in_creates_an_account(at_provider: Provider) -> None:
    page = Client().get("/login/?next=/s/home/bin/").text
    assert "Sign in with <bdi>Example Login</bdi>" in page
    assert 'href="/login/oidc/?next=%2Fs%2Fhome%2Fbin%2F"' in page
    at_provider.knows("p-1", preferred_username="dana", email="dana@example.org")
    client = Client()

    where = start(client, next="/s/home/bin/")
    assert parameter(where, "code_challenge_method") == "S256"
    assert len(parameter(where, "nonce")) >= 20
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
    assert "you have no account here" in answer.text
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


def test_who_declines_is_not_signed_in(at_provider: Provider) -> None:
    client = Client()
    state = parameter(start(client), "state")

    answer = client.get(CALLBACK, {"error": "access_denied", "state": state})

    assert answer.status_code == 403
    assert "did not confirm who you are" in answer.text
    assert answer.headers["Cache-Control"].count("no-store")


# --- Connecting -------------------------------------------------------------------------------


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


# --- The forging provider ---------------------------------------------------------------------


def returned(client: Client, forger: Forger, **query: str) -> Any:
    """A whole sign-in at the forging provider."""
    where = start(client)
    forger.nonce = forger.nonce or parameter(where, "nonce")
    return client.get(CALLBACK, {"code": "c", "state": parameter(where, "state"), **query})


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
    ("change", "status"),
    [
        pytest.param(lambda one: forge(signs_with=another_key())(one), 403, id="signature"),
        pytest.param(forge(is_signed=False), 403, id="unsigned"),
        pytest.param(
            forge(is_signed=False, algorithms=["RS256", "none"]), 403, id="unsigned, as announced"
        ),
        pytest.param(forge(claims={"aud": "another client"}), 403, id="audience"),
        pytest.param(
            forge(claims={"aud": "another client", "azp": CLIENT}), 403, id="audience of another"
        ),
        pytest.param(forge(claims={"aud": [CLIENT, "b"], "azp": "b"}), 403, id="authorised party"),
        pytest.param(forge(claims={"iss": "http://other.example"}), 403, id="issuer"),
        pytest.param(forge(nonce="another"), 403, id="nonce"),
        pytest.param(forge(claims={"exp": 1_000_000}), 403, id="expired"),
        pytest.param(forge(claims={"sub": None}), 403, id="nobody"),
        pytest.param(forge(sends_id_token=False), 403, id="no token"),
        pytest.param(forge(userinfo={"sub": "p-2"}), 403, id="userinfo of another"),
        pytest.param(forge(issuer="http://other.example"), 503, id="another provider"),
    ],
)
def test_forged_answers_are_refused(
    at_forger: Forger, change: Callable[[Forger], None], status: int
) -> None:
    client = Client()
    change(at_forger)

    answer = returned(client, at_forger)

    assert answer.status_code == status, answer.text
    assert user_in(client) is None
    assert not User.objects.exists()


@pytest.mark.parametrize("query", [{"state": ""}, {"state": "guessed"}])
def test_a_callback_that_does_not_fit_asks_the_provider_nothing(
    at_forger: Forger, query: dict[str, str]
) -> None:
    start(Client())  # so that the provider's addresses are known
    asked = len(at_forger.requests)

    assert returned(Client(), at_forger, **query).status_code == 403
    assert Client().get(CALLBACK, {"code": "c", "state": "s"}).status_code == 403

    assert at_forger.requests[asked:] == []
    assert not User.objects.exists()


def test_a_provider_that_does_not_answer_is_said(at_forger: Forger) -> None:
    at_forger.status = 500

    answer = Client().get("/login/oidc/")

    assert answer.status_code == 503
    assert "<bdi>Example Login</bdi> does not answer" in answer.text


@pytest.mark.parametrize("wish", ["https://evil.example/", "//evil.example/", "/\\evil.example"])
def test_a_sign_in_leads_to_our_pages_only(at_forger: Forger, wish: str) -> None:
    client = Client()
    where = start(client, next=wish)
    at_forger.nonce = parameter(where, "nonce")

    answer = client.get(CALLBACK, {"code": "c", "state": parameter(where, "state")})

    assert answer.headers["Location"] == "/"


# --- Without passwords, and without a provider ------------------------------------------------


def test_passwords_can_be_switched_off(
    at_forger: Forger, settings: Settings, space: Space, alice: User
) -> None:
    settings.EBB_LOCAL_LOGIN = False
    client, words = Client(), {"username": "alice", "password": "a long password of alice"}
    assert 'type="password"' not in client.get("/login/").text
    for form in ("/login/", "/admin/login/"):
        client.post(form, words)
        assert user_in(client) is None
    hers = login(alice)
    account = hers.get(reverse("account", args=["home"])).text
    assert 'type="password"' not in account
    assert "Second factor" not in account
    assert hers.get(reverse("second_factor", args=["home"])).status_code == 404

    asked = {"username": "dana", "role": "viewer"}
    page = hers.post(reverse("members_invite", args=["home"]), asked).text
    assert "/invitation/?token=" in page
    assert not User.objects.filter(username="dana").exists()


def test_without_a_provider_nothing_of_it_is_shown() -> None:
    assert "Sign in with" not in Client().get("/login/").text
    for address in ("/login/oidc/", CALLBACK):
        assert Client().get(address).headers["Location"] == "/login/"
