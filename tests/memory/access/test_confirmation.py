"""Every page that asks for a password or a code has the limits of the login, and its queue."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from config.settings import PASSWORD_HASHERS
from memory.access import password_hashers
from memory.access.failures import MOST_PER_ACCOUNT, MOST_PER_ADDRESS
from memory.access.members import add_member
from memory.access.passwords import is_password_of
from memory.access.second_factor import new_secret, turn_on
from memory.actors import SYSTEM
from memory.models import Role, SecondFactor, Space, User
from tests.authenticator import app_code
from tests.conftest import Answer
from tests.memory.writing import NOW
from tests.pages import login

PASSWORD = "a long password of alice"
LIMITED = "Too many failed attempts. Try again in 15 minutes."
CODES = ("second_factor_renew", "second_factor_off", "login_code")

pytestmark = pytest.mark.usefixtures("space")

Send = Callable[[str], Answer]


@pytest.fixture
def codes(alice: User) -> list[str]:
    """The recovery codes of alice, who has turned her second factor on."""
    secret, then = new_secret(), timezone.now() - timedelta(minutes=5)
    code = app_code(secret, then)
    return turn_on(user=alice, secret=secret, code=code, address="192.0.2.9", now=then)


def code_page(client: Client, name: str) -> Send:
    """The page `name`, as a function of the code that is sent."""
    address = reverse(name) if name == "login_code" else reverse(name, args=["home"])
    return lambda code: client.post(address, {"code": code})


def account_page(client: Client) -> Send:
    """The account page, as a function of the old password."""
    new = dict.fromkeys(("new_password1", "new_password2"), "another long password")
    address = reverse("account", args=["home"])
    return lambda old: client.post(address, new | {"old_password": old})


def half_in() -> Client:
    """A browser in which alice's password was sent."""
    client = Client()
    client.post("/login/", {"username": "alice", "password": PASSWORD})
    return client


def test_the_old_password_cannot_be_guessed(alice: User, bob: User) -> None:
    send = account_page(login(alice))
    for _ in range(MOST_PER_ACCOUNT):
        assert "was entered incorrectly" in send("a guess").text

    assert LIMITED in send(PASSWORD).text
    assert authenticate(None, username="alice", password=PASSWORD) is None  # as at the login
    assert account_page(login(bob))("a long password of bob").status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_the_admins_page_for_a_password_has_the_same_limits(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    client, new = login(alice), dict.fromkeys(("new_password1", "new_password2"), "a new password")

    def send(old: str) -> str:
        sent = client.post(reverse("admin:password_change"), new | {"old_password": old})
        return str(sent.content.decode())

    for _ in range(MOST_PER_ACCOUNT):
        assert "was entered incorrectly" in send("a guess")

    assert LIMITED in send(PASSWORD)
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_asking_for_an_older_password_does_not_log_out(alice: User, settings: Settings) -> None:
    client = login(alice)
    settings.PASSWORD_HASHERS = [PASSWORD_HASHERS[1], *settings.PASSWORD_HASHERS]
    request = RequestFactory().get("/")

    assert is_password_of(alice, PASSWORD, request=request)
    assert not is_password_of(alice, "a guess", request=request)

    assert client.get(reverse("account", args=["home"])).status_code == 200


@pytest.mark.parametrize("name", CODES)
def test_a_code_cannot_be_guessed(name: str, alice: User, codes: list[str]) -> None:
    send = code_page(half_in() if name == "login_code" else login(alice), name)
    for number in range(MOST_PER_ACCOUNT):
        if number == MOST_PER_ACCOUNT - 1:
            half_in()  # a right password does not set the count of codes back
        assert "This code is wrong" in send("000000").text

    assert LIMITED in send(codes[0]).text
    assert SecondFactor.objects.exists()


def test_the_first_code_of_an_app_is_limited_too(alice: User) -> None:
    send = code_page(login(alice), "second_factor")
    for _ in range(MOST_PER_ACCOUNT):
        assert "This code is wrong" in send("000000").text

    assert LIMITED in send("000000").text


@pytest.mark.parametrize("name", ["account", *CODES])
def test_an_address_that_guesses_is_locked_everywhere(
    name: str, alice: User, request: pytest.FixtureRequest
) -> None:
    codes = [] if name == "account" else request.getfixturevalue("codes")
    client = half_in() if name == "login_code" else login(alice)
    for number in range(MOST_PER_ADDRESS):
        Client().post("/login/", {"username": f"user{number}", "password": "guess"})

    answer = (
        account_page(client)(PASSWORD) if name == "account" else code_page(client, name)(codes[0])
    )

    assert LIMITED in answer.text


# --- The queue --------------------------------------------------------------------------------


@pytest.fixture
def busy(settings: Settings, monkeypatch: pytest.MonkeyPatch, space: Space) -> Iterator[None]:
    """Two other passwords are being hashed all the time."""
    User.objects.create_superuser("operator", password=None)
    new = User.objects.create_user("new")
    add_member(space=space, user=new, role=Role.VIEWER, actor=SYSTEM, now=NOW)
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    monkeypatch.setattr(password_hashers, "_PATIENCE", 0.0)
    with password_hashers._AT_ONCE, password_hashers._AT_ONCE:
        yield


@pytest.mark.usefixtures("busy")
def test_every_password_waits_for_its_turn(alice: User) -> None:
    operator = login(User.objects.get(username="operator"))
    new = {"username": "dana", "usable_password": "true"} | dict.fromkeys(
        ("password1", "password2"), "another long password"
    )
    first = dict.fromkeys(("new_password1", "new_password2"), "another long password")
    for answer in (
        account_page(login(alice))(PASSWORD),
        login(User.objects.get(username="new")).post(reverse("account", args=["home"]), first),
        operator.post(reverse("admin:auth_user_password_change", args=[alice.pk]), new),
        operator.post(reverse("admin:memory_user_add"), new),
    ):
        assert (answer.status_code, answer["Retry-After"]) == (429, "1")
    assert authenticate(None, username="alice", password=PASSWORD) is None
    assert not User.objects.filter(username="dana").exists()


def test_a_turn_is_given_back_and_taken_once(settings: Settings, alice: User) -> None:
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    alice.set_password(PASSWORD)
    alice.save()
    for _ in range(3):  # one more than there are turns
        assert authenticate(None, username="alice", password=PASSWORD) == alice
        assert authenticate(None, username="alice", password="a guess") is None
        assert authenticate(None, username="nobody", password="a guess") is None
