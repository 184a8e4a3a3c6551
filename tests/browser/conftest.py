"""A real Chromium before the real web server, in the session of somebody who logged in."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)
from sesame.utils import get_query_string

from accounts.models import Space, User
from tests.pages import login
from tests.processes import Web, model_web, queue, static_files, web, worker

__all__ = ["model_web", "queue", "static_files", "web", "worker"]

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
WIDE = (1280, 860)
EXPECTED = 45_000  # milliseconds: other processes may be busy on the same cores


def chromium(own: str) -> str | None:
    """CHROMIUM, the system's, or `own`: playwright's."""
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    found = (shutil.which(name) for name in names if name)
    return next((path for path in found if path), own if Path(own).exists() else None)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium for the tests of this folder: while it runs, an event loop runs in this thread."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # the loop is playwright's, not Django's
        path = chromium(playwright.chromium.executable_path)
        if path is None:
            reason = "There is no Chromium: set CHROMIUM to one, or run `make browser`."
            (pytest.fail if os.environ.get("EBB_REQUIRE_BROWSER") == "1" else pytest.skip)(reason)
        expect.set_options(timeout=EXPECTED)
        launched = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield launched
        launched.close()


@dataclass
class Watch:
    """Errors in a browser: console errors (also of the Content-Security-Policy), scripts,
    requests."""

    complaints: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        context.on("console", self._console)
        context.on("weberror", lambda error: self.complaints.append(f"script: {error.error}"))
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)

    def _console(self, message: ConsoleMessage) -> None:
        # htmx calls it an error when a newer request takes the place of one (hx-sync). One that
        # failed is a `sendError` besides, and a request's failure below.
        if message.text.startswith(("htmx:sendAbort,", "htmx:afterRequest,")):
            return
        if message.type in {"error", "warning"}:
            self.complaints.append(f"console: {message.text}")

    def _failed(self, request: Request) -> None:
        # What the page itself gives up, by leaving or by closing its stream, is no failure.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"request: {request.url} {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append(f"answer: {response.status} {response.url}")


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Fails the test if the browser had anything to complain about."""
    watch = Watch()
    yield watch
    assert watch.complaints == []


Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, watch: Watch) -> Iterator[Open]:
    """Opens browsers of their own, watched, at an address; with `person`, hers, logged in."""
    contexts: list[BrowserContext] = []

    def open_page(
        url: str,
        *,
        person: User | None = None,
        size: tuple[int, int] = WIDE,
        color_scheme: str = "light",
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if color_scheme == "dark" else "light",
            locale="en-GB",
        )
        contexts.append(context)
        watch.over(context)
        if person:
            session = login(person).cookies["sessionid"].value
            cookie = {"name": "sessionid", "value": session, "domain": "127.0.0.1", "path": "/"}
            context.add_cookies([cookie])  # type: ignore[list-item]  # a cookie's parts
        page = context.new_page()
        page.set_default_timeout(EXPECTED)
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()


def settled(page: Page) -> None:
    """Waits until the page has what it asked for: nothing is swapped under what is done next."""
    expect(page.locator(".htmx-request")).to_have_count(0)


LogIn = Callable[..., Page]


@pytest.fixture
def log_in(opened: Open, web: Web, space: Space, alice: User) -> LogIn:
    """alice's browser in her playground: `log_in(on=model_web, size=(390, 844))`."""

    def enter(on: Web = web, **options: object) -> Page:
        return opened(f"{on.url}/s/{space.slug}/", person=alice, **options)

    return enter


def logged_in(page: Page) -> Page:
    """The page of a login link, once its button was pressed."""
    page.locator("#login-link button").click()
    page.wait_for_url("**/s/*/")
    return page


def login_link(user: User) -> str:
    return "/login/link/" + str(get_query_string(user))
