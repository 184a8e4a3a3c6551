"""Second factors, confirmations before a change, and limits: as people rely on them."""

from collections.abc import Callable, Iterator
from io import StringIO
from urllib.parse import quote

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.members.services import add_member
from accounts.models import InstallationAuditEntry, Role, Space, User
from accounts.sign_in import password_hashers
from config.settings import PASSWORD_HASHERS
from foundation.actors import SYSTEM
from tests.authenticator import app_code
from tests.conftest import Answer
from tests.factors import Factor, confirm, turn_on
from tests.memory.writing import NOW
from tests.pages import login

PASSWORD = "a long password of alice"
LIMITED = "Too many failed"
NEW = dict.fromkeys(("password1", "password2"), "another long password")

pytestmark = pytest.mark.usefixtures("space")


@pytest.fixture
def factor(alice: User) -> Factor:
    return turn_on(alice)


def half_in(address: str = "192.0.2.1") -> Client:
    """A browser in which alice's password was sent."""
    client = Client(REMOTE_ADDR=address)
    client.post("/login/", {"login": "alice", "password": PASSWORD})
    return client


def now_shown(factor: Factor) -> str:
    return app_code(factor.secret, timezone.now())


# --- The second factor ------------------------------------------------------------------------


def test_secrets_are_sealed_and_survive_a_change_of_the_secret_key(
    alice: User, factor: Factor, settings: Settings
) -> None:
    assert factor.secret not in str(list(Authenticator.objects.values_list("data", flat=True)))
    before = settings.SECRET_KEY
    settings.SECRET_KEY = "a new secret key of this installation"
    client = login(alice)
    for code in ("", now_shown(factor), app_code("", timezone.now()), factor.codes[0]):
        assert confirm(client, code=code or " ").status_code == 200
    with pytest.raises(CommandError, match="alice"):
        call_command("reseal_keys", stdout=StringIO())

    settings.SECRET_KEY_FALLBACKS = [before]
    call_command("reseal_keys", stdout=StringIO())
    settings.SECRET_KEY_FALLBACKS = []
    assert confirm(login(alice), code=now_shown(factor)).status_code == 302


def test_an_operator_turns_it_off(alice: User, factor: Factor) -> None:
    said = StringIO()
    call_command("reset_second_factor", "alice", stdout=said)

    assert "is off" in said.getvalue()
    assert "_auth_user_id" in half_in().session
    for name, complaint in (("alice", "has no second factor"), ("nobody", "no user named")):
        with pytest.raises(CommandError, match=complaint):
            call_command("reset_second_factor", name)
    assert [entry.action for entry in InstallationAuditEntry.objects.all()] == ["factor.off"]


def test_a_code_works_once(alice: User, factor: Factor) -> None:
    for code in (now_shown(factor), factor.codes[0]):
        first, second = half_in(), half_in()
        assert first.post("/login/code/", {"code": code}).status_code == 302
        assert "Incorrect code" in second.post("/login/code/", {"code": code}).text


# --- Confirmation -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "off/", "codes/", "codes/new/"])
def test_a_change_needs_the_code_not_the_password(alice: User, factor: Factor, path: str) -> None:
    client, page = login(alice), f"/account/factor/{path}"
    if not path:
        Authenticator.objects.all().delete()
    asked = client.get(page).headers["Location"]
    assert asked == f"/account/confirm/{'code/' if path else ''}?next={quote(page, safe='')}"
    if path:
        assert confirm(client, password=PASSWORD).headers["Location"].startswith("/account/confirm")
        assert confirm(client, code="000000").status_code == 200
        assert client.get(page).status_code == 302

    answer = confirm(client, password=PASSWORD, code=path and factor.codes[0], then=page)

    assert answer.headers["Location"] == page
    assert client.get(page).status_code == 200


def test_who_came_by_a_link_sets_a_password_and_a_factor(space: Space) -> None:
    guest = User.objects.create_user("guest")
    add_member(space=space, user=guest, role=Role.VIEWER, actor=SYSTEM, now=NOW)
    client = login(guest)
    assert client.get("/account/factor/").status_code == 200
    assert "is too short" in client.post(
        "/account/password/first/", dict.fromkeys(NEW, "short")
    ).text.replace("too short.", "is too short")

    assert client.post("/account/password/first/", NEW).headers["Location"] == "/account/"

    assert client.get("/account/").headers["Location"] == "/s/home/settings/account/"
    guest.refresh_from_db()
    assert guest.check_password(NEW["password1"])
    assert client.get("/account/factor/").status_code == 302  # now there is something to ask for


def test_a_password_that_is_hashed_again_does_not_log_out(alice: User, settings: Settings) -> None:
    client = login(alice)
    settings.PASSWORD_HASHERS = [*PASSWORD_HASHERS, *settings.PASSWORD_HASHERS]

    assert confirm(client, password=PASSWORD).status_code == 302

    alice.refresh_from_db()
    assert alice.password.startswith("argon2$")
    assert client.get("/account/factor/").status_code == 200


# --- Limits -----------------------------------------------------------------------------------


def test_passwords_and_codes_are_limited_across_pages(
    alice: User, factor: Factor, bob: User
) -> None:
    client, entering = login(alice), half_in()
    for number in range(10):
        if number % 2:
            assert "Incorrect code" in confirm(client, code="000000").text
        else:
            assert "Incorrect code" in entering.post("/login/code/", {"code": "000000"}).text
        half_in()  # a right password does not set the count of codes back

    assert LIMITED in confirm(client, code=factor.codes[0]).text
    assert LIMITED in entering.post("/login/code/", {"code": now_shown(factor)}).text
    assert confirm(login(bob), password="a long password of bob").status_code == 302


def test_the_old_password_cannot_be_guessed(alice: User) -> None:
    client = login(alice)
    for _ in range(10):
        assert client.post("/account/password/", NEW | {"oldpassword": "guess"}).status_code == 200

    assert client.post("/account/password/", NEW | {"oldpassword": PASSWORD}).status_code == 429
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_a_confirmation_counts_as_the_login_does(alice: User) -> None:
    client = login(alice)
    for _ in range(10):
        assert confirm(client, password="a guess").status_code == 200

    assert "_auth_user_id" not in half_in("198.51.100.7").session


def test_an_address_that_guesses_passwords_is_locked_everywhere(alice: User) -> None:
    client = login(alice)
    for number in range(30):
        Client().post("/login/", {"login": f"user{number}", "password": "guess"})

    assert LIMITED in confirm(client, password=PASSWORD).text


# --- The queue --------------------------------------------------------------------------------


@pytest.fixture
def busy(settings: Settings, monkeypatch: pytest.MonkeyPatch, space: Space) -> Iterator[None]:
    """Two other passwords are being hashed all the time."""
    User.objects.create_superuser("operator", password=None)
    User.objects.create_user("new")
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    monkeypatch.setattr(password_hashers, "_PATIENCE", 0.0)
    with password_hashers._AT_ONCE, password_hashers._AT_ONCE:
        yield


@pytest.mark.usefixtures("busy")
def test_every_password_waits_for_its_turn(alice: User) -> None:
    operator, new = (login(User.objects.get(username=name)) for name in ("operator", "new"))
    form = {"username": "dana", "usable_password": "true"} | NEW
    sends: list[Callable[[], Answer]] = [
        lambda: Client().post("/login/", {"login": "nobody", "password": "a guess"}),
        lambda: new.post("/account/password/first/", NEW),
        lambda: operator.post(reverse("admin:auth_user_password_change", args=[alice.pk]), form),
        lambda: operator.post(reverse("admin:accounts_user_add"), form),
    ]
    for send in sends:
        answer = send()
        assert (answer.status_code, answer["Retry-After"]) == (429, "1")
    assert not User.objects.filter(username="dana").exists()


def test_a_turn_is_given_back_and_taken_once(settings: Settings, alice: User) -> None:
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    alice.set_password(PASSWORD)
    alice.save()
    for _ in range(3):  # one more than there are turns
        assert authenticate(None, username="alice", password=PASSWORD) == alice
        assert authenticate(None, username="alice", password="a guess") is None
        assert authenticate(None, username="nobody", password="a guess") is None
