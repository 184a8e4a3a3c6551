"""The account page: the second factor is set up and asked for; sessions are listed and ended."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings
from sesame.utils import get_query_string

from memory.access.devices import device
from memory.access.second_factor import new_secret, turn_on
from memory.access.sessions import forget_ended, open_sessions
from memory.models import LoginSession, SecondFactor, Space, User
from tests.authenticator import app_code
from tests.pages import login

PASSWORD = "a long password of alice"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0"
)

pytestmark = pytest.mark.usefixtures("space")


@pytest.fixture(autouse=True)
def no_failures() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def browser(agent: str = FIREFOX, address: str = "192.0.2.1") -> Client:
    return Client(headers={"User-Agent": agent}, REMOTE_ADDR=address)


def enter(client: Client, **more: str) -> str:
    """Sends alice's password; returns the address that follows."""
    answer = client.post("/login/", {"username": "alice", "password": PASSWORD, **more})
    assert answer.status_code == 302
    return answer.headers["Location"]


def is_in(client: Client) -> bool:
    return client.get(reverse("account", args=["home"])).status_code == 200


def account(client: Client) -> str:
    return client.get(reverse("account", args=["home"])).text


@pytest.fixture
def secret(alice: User) -> str:
    """The secret of alice's app; its last code was used five minutes ago."""
    secret, then = new_secret(), timezone.now() - timedelta(minutes=5)
    turn_on(user=alice, secret=secret, code=app_code(secret, then), address="", now=then)
    return secret


# --- Second factor ----------------------------------------------------------------------------


def test_the_second_factor_is_set_up_and_asked_for(alice: User) -> None:
    client = browser()
    enter(client)
    page = client.get(reverse("second_factor", args=["home"])).text
    assert 'src="data:image/svg+xml' in page
    secret = "".join(re.findall(r"\b[A-Z2-7]{4}\b(?=[ <])", page.partition("<code")[2]))
    [setup] = re.findall(r'name="setup" value="([^"]+)"', page)
    sent = {"setup": setup, "code": "000000"}
    again = client.post(reverse("second_factor", args=["home"]), sent).text
    assert "This code is wrong" in again
    assert setup.split(":")[0] in again  # the same secret: the picture need not be scanned again
    assert not SecondFactor.objects.exists()

    sent["code"] = app_code(secret, timezone.now())
    codes = re.findall(r"\w{4}-\w{4}-\w{4}-\w{4}", client.post(
        reverse("second_factor", args=["home"]), sent).text)  # fmt: skip
    assert len(codes) == 10

    phone = browser(SAFARI)
    assert enter(phone, next="/s/home/bin/") == "/login/code/"
    assert not is_in(phone)
    assert "Enter your code" in phone.get("/login/code/").text
    assert "wrong or was already used" in phone.post("/login/code/", {"code": sent["code"]}).text
    answer = phone.post("/login/code/", {"code": codes[0]})
    assert answer.headers["Location"] == "/s/home/bin/"
    assert is_in(phone)


def test_another_users_picture_is_worth_nothing(alice: User, bob: User) -> None:
    page = login(bob).get(reverse("second_factor", args=["home"])).text
    [setup] = re.findall(r'name="setup" value="([^"]+)"', page)
    secret = "".join(re.findall(r"\b[A-Z2-7]{4}\b(?=[ <])", page.partition("<code")[2]))
    sent = {"setup": setup, "code": app_code(secret, timezone.now())}

    login(alice).post(reverse("second_factor", args=["home"]), sent)

    assert not SecondFactor.objects.exists()


def test_a_login_link_asks_for_the_code_too(alice: User, secret: str) -> None:
    client, token = browser(), str(get_query_string(alice)).partition("=")[2]

    answer = client.post("/login/link/", {"sesame": token})

    assert answer.headers["Location"] == "/login/code/"
    assert not is_in(client)
    client.post("/login/code/", {"code": app_code(secret, timezone.now())})
    assert is_in(client)


def test_the_code_alone_or_too_late_opens_nothing(
    alice: User, secret: str, settings: Settings
) -> None:
    client = browser()
    code = app_code(secret, timezone.now())
    assert client.post("/login/code/", {"code": code}).headers["Location"] == "/login/"
    enter(client)
    session = client.session
    session["half_logged_in"] = session["half_logged_in"] | {"until": 0}
    session.save()
    assert client.post("/login/code/", {"code": code}).headers["Location"] == "/login/"
    assert not is_in(client)

    enter(client)
    User.objects.update(is_active=False)
    assert client.post("/login/code/", {"code": code}).headers["Location"] == "/login/"


def test_wrong_codes_are_limited(alice: User, secret: str) -> None:
    client = browser()
    enter(client)
    for _ in range(10):
        client.post("/login/code/", {"code": "000000"})

    page = client.post("/login/code/", {"code": app_code(secret, timezone.now())}).text

    assert "Too many failed attempts" in page
    assert not is_in(client)


def test_changes_need_a_code(alice: User, secret: str) -> None:
    client = login(alice)
    for name in ("second_factor_renew", "second_factor_off"):
        assert "This code is wrong" in client.post(reverse(name, args=["home"])).text
    assert SecondFactor.objects.exists()
    page = client.get(reverse("second_factor", args=["home"])).text
    assert "10 recovery codes left." in page
    assert "data:image" not in page

    code = {"code": app_code(secret, timezone.now())}
    renewed = client.post(reverse("second_factor_renew", args=["home"]), code).text
    codes = re.findall(r"\w{4}-\w{4}-\w{4}-\w{4}", renewed)
    answer = client.post(reverse("second_factor_off", args=["home"]), {"code": codes[0]})
    assert answer.status_code == 302
    assert not SecondFactor.objects.exists()


def test_the_admin_is_behind_the_same_log_in(alice: User, secret: str) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    client = browser()
    assert client.get("/admin/").headers["Location"] == "/admin/login/?next=/admin/"
    assert client.get("/admin/login/?next=/admin/").headers["Location"] == "/login/?next=/admin/"
    client.post("/admin/login/", {"username": "alice", "password": PASSWORD})
    assert client.get("/admin/").status_code == 302
    assert enter(client, next="/admin/") == "/login/code/"
    answer = client.post("/login/code/", {"code": app_code(secret, timezone.now())})
    assert answer.headers["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert client.get("/admin/login/").headers["Location"] == "/admin/"


def test_who_is_no_operator_is_told_so(bob: User) -> None:
    assert login(bob).get("/admin/login/").status_code == 403


# --- Sessions ---------------------------------------------------------------------------------


def test_sessions_are_listed_and_one_is_ended(alice: User, bob: User) -> None:
    laptop, phone, of_bob = browser(), browser(SAFARI, "192.0.2.7"), login(bob)
    enter(laptop)
    enter(phone)
    assert is_in(of_bob)
    page = account(laptop)
    assert page.count("<tr>") == 3
    assert re.search(r"Firefox · Linux</b> <span class=\"chip\">this browser", page)
    assert "Safari · iPhone" in page
    assert "192.0.2.7" in page

    theirs = LoginSession.objects.get(user=bob).pk
    mine = LoginSession.objects.get(session_key=laptop.session.session_key).pk
    for other in (theirs, mine, 0):
        assert laptop.post(reverse("sessions_end", args=["home", other])).status_code == 404
    [ends] = re.findall(r'action="(/s/home/settings/account/sessions/\d+/end/)"', page)
    assert laptop.post(ends).status_code == 302

    assert not is_in(phone)
    assert is_in(laptop)
    assert is_in(of_bob)
    assert "192.0.2.7" not in account(laptop)
    assert "Log out everywhere else" not in account(laptop)


def test_all_others_are_logged_out(alice: User, bob: User) -> None:
    laptop, phone, of_bob = browser(), browser(SAFARI), login(bob)
    forced = login(alice)  # a session that did not begin on the login page
    for client in (laptop, phone):
        enter(client)
    assert is_in(forced)
    assert is_in(of_bob)

    assert laptop.post(reverse("sessions_end_others", args=["home"])).status_code == 302

    assert [is_in(client) for client in (laptop, phone, forced, of_bob)] == [
        True, False, False, True,
    ]  # fmt: skip


def test_a_new_password_ends_the_others(alice: User) -> None:
    laptop, phone = browser(), browser(SAFARI)
    enter(laptop)
    enter(phone)
    words = dict.fromkeys(("new_password1", "new_password2"), "another long password")

    laptop.post(reverse("account", args=["home"]), words | {"old_password": PASSWORD})

    assert [is_in(client) for client in (laptop, phone)] == [True, False]
    assert [one.agent for one in open_sessions(alice, now=timezone.now())] == [FIREFOX]


def test_use_is_noted_every_few_minutes(alice: User) -> None:
    client = browser()
    enter(client)
    long_ago = timezone.now() - timedelta(hours=3)
    LoginSession.objects.update(seen_at=long_ago, started_at=long_ago)
    cache.clear()  # as after five minutes

    assert is_in(client)
    noted = LoginSession.objects.get()
    assert noted.started_at == long_ago
    assert timezone.now() - noted.seen_at < timedelta(minutes=1)
    LoginSession.objects.update(seen_at=long_ago)
    assert is_in(client)
    assert LoginSession.objects.get().seen_at == long_ago


def test_ended_sessions_are_deleted(alice: User) -> None:
    laptop, phone, old = browser(), browser(SAFARI), browser()
    for client in (laptop, phone, old):
        enter(client)
    phone.post("/logout/")
    now = timezone.now()
    Session.objects.filter(session_key=old.session.session_key).update(expire_date=now)

    forget_ended(now=now)

    assert [one.session_key for one in LoginSession.objects.all()] == [laptop.session.session_key]
    assert Session.objects.count() == 1


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox · Linux"),
        (SAFARI, "Safari · iPhone"),
        (EDGE, "Edge · Windows"),
        ("curl/8.5.0", ""),
        ("", ""),
    ],
)
def test_a_device_has_a_short_name(agent: str, name: str) -> None:
    assert device(agent) == name


def test_a_hostile_browser_name_is_only_text(alice: User, space: Space) -> None:
    client = browser("<script>alert(1)</script>" * 40)
    enter(client)

    assert "<script>alert" not in account(client)
    assert len(LoginSession.objects.get().agent) == 300


def test_a_part_of_a_page_is_not_the_login_page(space: Space) -> None:
    """htmx would draw the login page inside the page whose session has ended."""
    address = reverse("memories", args=[space.slug])
    whole, part = Client().get(address), Client().get(address, headers={"HX-Request": "true"})

    assert whole.status_code == 302
    assert (part.status_code, part.content) == (401, b"")
