"""Logging in: failures are limited, and a link survives being opened by a program."""

import logging
import os
import threading
from io import StringIO
from pathlib import Path
from queue import Queue

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from pytest_django import Settings
from sesame.utils import get_query_string

from accounts.models import Space, User
from accounts.sign_in.password_hashers import _AT_ONCE
from config.settings import PASSWORD_HASHERS
from operations.local_files import note_url
from operations.monitoring.logs import LineFormatter, without_traceback
from tests.factors import turn_on
from tests.processes import wait_until

PASSWORD = "a-Long-Pass-7319"
MOST_PER_ACCOUNT, MOST_PER_ADDRESS = 10, 30


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob", password=PASSWORD)


def enters(name: str, password: str, *, address: str = "192.0.2.1") -> bool:
    """Return whether this name and password log in."""
    client = Client(REMOTE_ADDR=address)
    client.post("/login/", {"login": name, "password": password})
    return "_auth_user_id" in client.session


def test_an_account_is_closed_after_failures_from_anywhere(bob: User, space: Space) -> None:
    User.objects.create_user("eve", password=PASSWORD)
    assert enters("bob", PASSWORD)
    for number in range(MOST_PER_ACCOUNT):
        assert not enters("Bob" if number % 2 else "bob", "wrong", address=f"192.0.2.{number}")

    assert not enters("bob", PASSWORD, address="198.51.100.1")
    assert enters("eve", PASSWORD)
    bob.refresh_from_db()  # a link is made for the last login
    client = Client()
    client.post("/login/link/", {"sesame": str(get_query_string(bob)).partition("=")[2]})
    assert client.session["_auth_user_id"] == str(bob.pk)


def test_an_address_is_closed_after_failures_at_any_account(bob: User) -> None:
    for number in range(MOST_PER_ADDRESS):
        assert not enters(f"user{number}", "guess")

    assert not enters("bob", PASSWORD)
    assert enters("bob", PASSWORD, address="192.0.2.99")


def test_a_right_code_clears_no_failures_at_other_accounts(bob: User) -> None:
    codes = turn_on(User.objects.create_user("eve", password=PASSWORD)).codes
    for number in range(MOST_PER_ADDRESS - 1):
        assert not enters(f"user{number}", "guess")
    eve = Client(REMOTE_ADDR="192.0.2.1")
    eve.post("/login/", {"login": "eve", "password": PASSWORD})
    eve.post("/login/code/", {"code": codes[0]})
    assert "_auth_user_id" in eve.session

    assert not enters("user99", "guess")
    assert not enters("bob", PASSWORD)


def test_attempts_from_many_addresses_delete_no_count(bob: User, settings: Settings) -> None:
    default = settings.CACHES["default"]
    few = {**default, "OPTIONS": {**default["OPTIONS"], "MAX_ENTRIES": 5}}
    settings.CACHES = {**settings.CACHES, "default": few}
    for number in range(MOST_PER_ACCOUNT):
        assert not enters("bob", "wrong", address=f"192.0.2.{number}")
    for number in range(20):
        assert not enters(f"user{number}", "guess", address=f"198.51.100.{number}")

    assert not enters("bob", PASSWORD, address="192.0.2.99")


def test_the_addresses_of_one_ipv6_network_count_together(bob: User) -> None:
    for number in range(MOST_PER_ADDRESS):
        assert not enters(f"user{number}", "guess", address=f"2001:db8:0:7::{number:x}")

    assert not enters("bob", PASSWORD, address="2001:db8:0:7:ffff::1")
    assert enters("bob", PASSWORD, address="2001:db8:0:8::1")


def test_a_login_that_waits_keeps_no_database_connection(
    transactional_db: None, settings: Settings
) -> None:
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    used: Queue[BaseDatabaseWrapper] = Queue()

    def log_in() -> None:
        connections["default"].ensure_connection()
        used.put(connections["default"])
        assert authenticate(None, username="bob", password="guess") is None
        connections["default"].close()

    waiting = threading.Thread(target=log_in)
    with _AT_ONCE, _AT_ONCE:  # two others are being checked
        waiting.start()
        its = used.get()
        wait_until(lambda: its.connection is None, what="the release of the connection")
        assert waiting.is_alive()
    waiting.join()


def test_only_the_button_spends_a_link(bob: User) -> None:
    link = "/login/link/" + str(get_query_string(bob))
    scanner, client = Client(), Client()
    for opened in (scanner.head(link), scanner.get(link), scanner.get(link)):
        assert (opened.status_code, "_auth_user_id" in scanner.session) == (200, False)
        assert opened["Cache-Control"].count("no-store")

    sent = {"sesame": link.partition("=")[2]}
    assert client.post("/login/link/", sent).status_code == 302
    assert client.session["_auth_user_id"] == str(bob.pk)
    for late in (
        Client().get(link),
        Client().post("/login/link/", sent),
        Client().get("/login/link/"),
    ):
        assert late.status_code == 403
        assert "manage.py login_link" in late.content.decode()


def test_a_printed_link_has_the_address_at_which_ebb_runs(
    bob: User, settings: Settings, tmp_path: Path
) -> None:
    settings.EBB_DATA_DIR, settings.EBB_URL = tmp_path, "https://ebb.example"
    note_url(tmp_path, "http://127.0.0.1:8123")
    assert printed_link().startswith("https://ebb.example/login/link/?sesame=")

    (tmp_path / "run.lock").write_text(str(os.getpid()))
    assert printed_link().startswith("http://127.0.0.1:8123/login/link/?sesame=")


def printed_link() -> str:
    said = StringIO()
    call_command("login_link", "bob", stdout=said)
    return said.getvalue()


def test_a_refused_link_says_why_and_what_to_do(bob: User, settings: Settings) -> None:
    settings.SESAME_MAX_AGE = 0  # seconds
    old = "/login/link/" + str(get_query_string(bob))
    for link, said in ((old, "This link has expired"), (old[:-3], "not copied completely")):
        page = Client().get(link).content.decode()
        assert said in page
        assert "Ask an owner of your space for a new link." in page
    client = Client()
    client.force_login(bob)
    assert "You are logged in as <bdi>bob</bdi>." in client.get(old).content.decode()


def test_a_refused_link_is_one_line_in_the_log(bob: User, caplog: pytest.LogCaptureFixture) -> None:
    Client().get("/login/link/?sesame=nonsense")

    [record] = [one for one in caplog.records if one.name == "django.request"]
    assert without_traceback(record)
    assert LineFormatter("{levelname} {name}: {message}", style="{").format(record) == (
        "WARNING django.request: Forbidden: /login/link/"
    )


def test_nothing_from_outside_adds_lines_or_colours_to_the_log() -> None:
    try:
        raise ValueError("bad\x1b[2Jname")
    except ValueError as error:
        crash = (type(error), error, error.__traceback__)
    message, path = "Not Found: %s", "/a\r\nERROR ebb: all is lost\x1b[31m\u202e"
    record = logging.LogRecord("ebb", logging.ERROR, "", 1, message, (path,), crash)

    first, *others = LineFormatter("{levelname} {message}", style="{").format(record).split("\n")

    assert first == r"ERROR Not Found: /a\r\nERROR ebb: all is lost\x1b[31m\u202e"
    assert others[0] == "Traceback (most recent call last):"
    assert others[-1] == r"ValueError: bad\x1b[2Jname"


def test_a_clients_fault_has_no_traceback_and_a_crash_has_one() -> None:
    for status, kept in ((403, False), (500, True), (None, True)):
        record = logging.LogRecord("django.request", logging.ERROR, "", 1, "x", (), None)
        record.exc_info = (ValueError, ValueError("x"), None)
        if status:
            record.status_code = status
        assert without_traceback(record)
        assert bool(record.exc_info) is kept
