"""Two web processes on one database: a page may reach either, and notices no difference."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple, Self

import httpx2
import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.middleware.csrf import CSRF_SECRET_LENGTH
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from chat.models import Message
from chat.replies.leases import stop_abandoned
from tests.conftest import MakeKey
from tests.pages import login
from tests.processes import PATIENCE, SMALL, Processes, Web, running_processes, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

SAID = "I like tea a lot"
PASSWORD = "a-Long-Pass-7319"
TOKEN = "a" * CSRF_SECRET_LENGTH


@pytest.fixture(scope="module")
def webs(
    queue: str, stub_model_server: StubModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Web, Web]]:
    """Two for the tests of this module that end neither."""
    with running_processes(queue, tmp_path_factory.mktemp("webs")) as started:
        yield two(started, stub_model_server)


def two(processes: Processes, stub: StubModel) -> tuple[Web, Web]:
    variables = {"OPENAI_BASE_URL": stub.base_url, "EBB_CHAT_MODEL": "stub", **SMALL}
    return processes.web(**variables), processes.web(**variables)


class Fragment(NamedTuple):
    """An event of a reply's page."""

    name: str
    html: str


def fragments(lines: Iterator[str]) -> Iterator[Fragment]:
    name = ""
    html: list[str] = []
    for line in lines:
        if line.startswith("event: "):
            name, html = line.removeprefix("event: "), []
        elif line.startswith("data: "):
            html.append(line.removeprefix("data: "))
        elif not line:
            yield Fragment(name, "\n".join(html))


class Browser:
    """alice's browser, which may reach any web process."""

    def __init__(self, space: Space, alice: User) -> None:
        cookies = {"sessionid": login(alice).cookies["sessionid"].value, "csrftoken": TOKEN}
        self._space = space
        self._client = httpx2.Client(
            cookies=cookies, headers={"X-CSRFToken": TOKEN}, timeout=PATIENCE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def post(self, web: Web, name: str, **form: str) -> httpx2.Response:
        return self._client.post(self._url(web, name), data=form)

    @contextmanager
    def reading(self, web: Web, message: Message) -> Iterator[Iterator[Fragment]]:
        """The events of the reply's page, as they come."""
        url = self._url(web, "reply", message.pk)
        with self._client.stream("GET", url) as answer:
            assert answer.status_code == 200
            yield fragments(answer.iter_lines())

    def _url(self, web: Web, name: str, *arguments: object) -> str:
        return web.url + reverse(name, args=[self._space.slug, *arguments])


@pytest.fixture
def browser(space: Space, alice: User) -> Iterator[Browser]:
    with Browser(space, alice) as opened:
        yield opened


def begun(browser: Browser, web: Web) -> Message:
    """A reply that no page reads yet."""
    assert browser.post(web, "say", message=SAID).status_code in {200, 302}
    return Message.objects.get(role="assistant")


def until_shown(events: Iterator[Fragment], words: str) -> list[str]:
    """The names of the events up to the one with these words."""
    names = []
    for event in events:
        names.append(event.name)
        if words in event.html:
            return names
    raise AssertionError(f"{words!r} did not come; only {names}")


def test_a_page_reloaded_on_another_process_streams_on(
    webs: tuple[Web, Web], browser: Browser, stub_model: StubModel
) -> None:
    first, second = webs
    stub_model.script("hold:3")
    message = begun(browser, first)
    with browser.reading(first, message) as events:
        until_shown(events, "You said: I")

    with browser.reading(second, message) as events, browser.reading(first, message) as others:
        assert until_shown(events, "You said: I") == ["text"]
        until_shown(others, "You said: I")
        stub_model.release()
        assert set(until_shown(events, f"You said: {SAID}")) == {"recalled", "token"}
        for rest in (events, others):
            *_, done = rest
            assert done.name == "done"
            assert f"<p>You said: {SAID}</p>" in done.html

    assert len(stub_model.requests) == 1
    message.refresh_from_db()
    assert message.state == "done"


def test_a_reply_is_stopped_on_another_process(
    webs: tuple[Web, Web], browser: Browser, stub_model: StubModel
) -> None:
    first, second = webs
    stub_model.script("stall:3")
    message = begun(browser, first)
    with browser.reading(first, message) as events:
        until_shown(events, "You said: I")

        # It answers after three seconds, stopped or not: a person presses again.
        conversation = str(message.conversation_id)
        wait_until(
            lambda: browser.post(second, "stop", conversation=conversation).status_code == 204,
            what="the stop",
        )
        until_shown(events, "The reply was stopped here.")
    message.refresh_from_db()
    assert (message.state, message.content) == ("stopped", "You said: I")


@pytest.mark.long
def test_a_page_shows_the_end_of_a_reply_whose_process_was_killed(
    processes: Processes, browser: Browser, stub_model: StubModel
) -> None:
    first, second = two(processes, stub_model)
    stub_model.script("stall:3")
    message = begun(browser, first)
    with browser.reading(first, message) as own:
        until_shown(own, "You said: I")
        with browser.reading(second, message) as events:
            until_shown(events, "You said: I")
            first.kill()
            # What beat does once the lease of the reply has expired.
            rows = Message.objects.filter(space_id=message.space_id, pk=message.pk)
            rows.update(leased_until=timezone.now() - timedelta(minutes=1))
            assert stop_abandoned(now=timezone.now()) == 1
            until_shown(events, "The reply was stopped here.")


@pytest.mark.long
def test_a_stopping_process_ends_the_pages_of_its_replies_elsewhere(
    processes: Processes, browser: Browser, stub_model: StubModel
) -> None:
    first, second = two(processes, stub_model)
    stub_model.script("stall:3")
    message = begun(browser, first)
    with browser.reading(first, message) as own:
        until_shown(own, "You said: I")
        with browser.reading(second, message) as events:
            until_shown(events, "You said: I")
            first.stop()
            until_shown(events, "The reply was stopped here.")
    stub_model.until_left()


def test_the_processes_share_their_limits(webs: tuple[Web, Web], key: MakeKey, alice: User) -> None:
    alice.password = Argon2PasswordHasher().encode(PASSWORD, "a salt of enough characters")
    alice.save()
    headers = {"Authorization": f"Bearer {key()}"}
    # Twice the limit at most, because a minute may end meanwhile.
    got = [httpx2.get(f"{web.url}/api/v1/export", headers=headers, timeout=90) for web in webs * 6]
    assert 3 <= sum(answer.status_code == 200 for answer in got) <= 6

    for number in range(10):
        assert not enters(webs[number % 2], "wrong")
    assert [enters(web, PASSWORD) for web in webs] == [False, False]


def enters(web: Web, password: str) -> bool:
    """Return whether alice logs in at this process with this password."""
    form = {"login": "alice", "password": password, "csrfmiddlewaretoken": TOKEN}
    answer = httpx2.post(f"{web.url}/login/", data=form, cookies={"csrftoken": TOKEN}, timeout=90)
    return "sessionid" in answer.cookies
