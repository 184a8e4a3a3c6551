"""The account page: the second factor is set up and asked for; sessions are listed and ended."""

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from sesame.utils import get_query_string

from accounts.models import InstallationAuditEntry, Space, User
from accounts.sign_in.devices import device
from accounts.sign_in.sessions import forget_ended, open_sessions
from tests.authenticator import app_code
from tests.factors import confirm, turn_on

PASSWORD = "a long password of alice"
CODES = "/account/factor/codes/"
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


def noted(user: User) -> Client:
    """A browser whose first request notes its session."""
    client = Client()
    client.force_login(user)
    return client


def browser(agent: str = FIREFOX, address: str = "192.0.2.1") -> Client:
    return Client(headers={"User-Agent": agent}, REMOTE_ADDR=address)


def enter(client: Client, **more: str) -> str:
    """Sends alice's password; returns the address that follows."""
    answer = client.post("/login/", {"login": "alice", "password": PASSWORD, **more})
    assert answer.status_code == 302
    return answer.headers["Location"]


def is_in(client: Client) -> bool:
    return client.get(reverse("account", args=["home"])).status_code == 200


def account(client: Client) -> str:
    return client.get(reverse("account", args=["home"])).text


# --- Second factor ----------------------------------------------------------------------------


def test_the_second_factor_is_set_up_and_asked_for(
    alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    client = browser()
    enter(client)
    confirm(client, password=PASSWORD)
    page = client.get("/account/factor/").text
    assert 'src="data:image/svg+xml' in page
    [secret] = re.findall(r"<code[^>]*>([A-Z2-7]+)</code>", page)
    again = client.post("/account/factor/", {"code": "000000"}).text
    assert "Incorrect code" in again
    assert secret in again  # the picture need not be scanned again
    assert not Authenticator.objects.exists()

    code = app_code(secret, timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post("/account/factor/", {"code": code}).headers["Location"] == CODES
    codes = re.findall(r"\d{4}-\d{4}-\d{4}-\d{4}", client.get(CODES).text)
    assert len(codes) == 10
    assert codes[0] not in client.get(CODES).text
    assert "10 recovery codes left." in client.get(CODES).text

    phone = browser(SAFARI)
    assert enter(phone, next="/s/home/bin/") == "/login/code/"
    assert not is_in(phone)
    assert "Enter your code" in phone.get("/login/code/").text
    answer = phone.post("/login/code/", {"code": codes[0]})
    assert answer.headers["Location"] == "/s/home/bin/"
    assert is_in(phone)

    client.post("/account/factor/off/")
    assert not Authenticator.objects.exists()
    told = InstallationAuditEntry.objects.order_by("pk").values_list("action", "subject")
    assert list(told) == [("factor.on", "alice"), ("factor.off", "alice")]


def test_a_login_link_asks_for_the_code_too(alice: User) -> None:
    factor = turn_on(alice)
    client, token = browser(), str(get_query_string(alice)).partition("=")[2]

    answer = client.post("/login/link/", {"sesame": token})

    assert answer.headers["Location"] == "/login/code/"
    assert not is_in(client)
    client.post("/login/code/", {"code": factor.codes[0]})
    assert is_in(client)


def test_the_code_alone_or_of_a_closed_account_opens_nothing(alice: User) -> None:
    client, code = browser(), turn_on(alice).codes[0]
    assert client.post("/login/code/", {"code": code}).headers["Location"] == "/login/"

    enter(client)
    User.objects.update(is_active=False)
    client.post("/login/code/", {"code": code})
    assert "_auth_user_id" not in client.session or not is_in(client)


def test_the_admin_is_behind_the_same_log_in(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    client, factor = browser(), turn_on(alice)
    assert client.get("/admin/").headers["Location"] == "/admin/login/?next=/admin/"
    assert client.get("/admin/login/?next=/admin/").headers["Location"] == "/login/?next=/admin/"
    client.post("/admin/login/", {"username": "alice", "password": PASSWORD})
    assert client.get("/admin/").status_code == 302
    assert enter(client, next="/admin/") == "/login/code/"
    answer = client.post("/login/code/", {"code": app_code(factor.secret, timezone.now())})
    assert answer.headers["Location"] == "/admin/"
    changed = client.get("/admin/password_change/")
    assert changed.headers["Location"] == "/account/password/"
    assert client.get("/admin/").status_code == 200
    assert client.get("/admin/login/").headers["Location"] == "/admin/"


def test_who_is_no_operator_is_told_so(bob: User) -> None:
    assert noted(bob).get("/admin/login/").status_code == 403


# --- Sessions ---------------------------------------------------------------------------------


def test_sessions_are_listed_and_one_is_ended(alice: User, bob: User) -> None:
    laptop, phone, of_bob = browser(), browser(SAFARI, "192.0.2.7"), noted(bob)
    enter(laptop)
    enter(phone)
    assert is_in(of_bob)
    page = account(laptop)
    assert page.count("<tr>") == 3
    assert re.search(r"Firefox · Linux</b> <span class=\"chip\">this browser", page)
    assert "Safari · iPhone" in page
    assert "192.0.2.7" in page

    theirs = UserSession.objects.get(user=bob).pk
    mine = UserSession.objects.get(session_key=laptop.session.session_key).pk
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
    laptop, phone, of_bob = browser(), browser(SAFARI), noted(bob)
    forced = noted(alice)  # a session that did not begin on the login page
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
    words = dict.fromkeys(("password1", "password2"), "another long password")

    laptop.post("/account/password/", words | {"oldpassword": PASSWORD})

    assert [is_in(client) for client in (laptop, phone)] == [True, False]
    assert [one.user_agent for one in open_sessions(alice)] == [FIREFOX]


def test_use_is_noted_every_few_minutes(alice: User) -> None:
    client = browser()
    enter(client)
    long_ago = timezone.now() - timedelta(hours=3)
    UserSession.objects.update(last_seen_at=long_ago, created_at=long_ago)
    caches["process"].clear()  # as after five minutes

    assert is_in(client)
    noted = UserSession.objects.get()
    assert noted.created_at == long_ago
    assert timezone.now() - noted.last_seen_at < timedelta(minutes=1)
    UserSession.objects.update(last_seen_at=long_ago)
    assert is_in(client)
    assert UserSession.objects.get().last_seen_at == long_ago


def test_ended_sessions_are_deleted(alice: User) -> None:
    laptop, phone, old = browser(), browser(SAFARI), browser()
    for client in (laptop, phone, old):
        enter(client)
    phone.post("/logout/")
    now = timezone.now()
    Session.objects.filter(session_key=old.session.session_key).update(expire_date=now)

    forget_ended(now=now)

    assert [one.session_key for one in UserSession.objects.all()] == [laptop.session.session_key]
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
    assert len(UserSession.objects.get().user_agent) == 200


def test_a_part_of_a_page_is_not_the_login_page(space: Space) -> None:
    """htmx would draw the login page inside the page whose session has ended."""
    address = reverse("memories", args=[space.slug])
    whole, part = Client().get(address), Client().get(address, headers={"HX-Request": "true"})

    assert whole.status_code == 302
    assert (part.status_code, part.content) == (401, b"")
