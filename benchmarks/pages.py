"""Measures every page of a large space: `python -m benchmarks.pages`. With `--keep FOLDER` the
database is kept there, and the next run does not fill it again.

Pages are found from the URL configuration, and their filters and orders from the forms and tabs in
them, so a new page is measured without being named here. Requests go over an open connection to the
real web server, logged in as an owner; the time ends with the last byte. Queries are counted by the
same request in this process. The first load is the page with all styles, scripts and icons, as
compressed as sent, for a new visitor.
"""

import argparse
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

from benchmarks import harness

MEMORIES = 100_000
ASKED = "lisbon"  # what is typed into a search field
_ACCEPTED = {"Accept-Encoding": "gzip", "Accept": "text/html", "Accept-Language": "en"}


@dataclass
class Contents:
    """The contents of a page for a browser: files to fetch, and each field or tab with its
    choices."""

    files: set[str] = field(default_factory=set)
    choices: dict[str, list[str]] = field(default_factory=dict)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.contents = Contents()
        self._is_get = False
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the filters that a tag offers, and the file that it loads."""
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_get = has.get("method", "get") == "get"
        elif tag == "select":
            self._select = has.get("name", "") if self._is_get else ""
        elif tag == "option" and self._select and has.get("value"):
            self._choose(f"{self._select}={quote(has['value'])}")
        elif tag == "input" and self._is_get and has.get("type") == "search":
            self._choose(f"{has['name']}={ASKED}")
        elif tag == "a" and has.get("href", "").startswith("?"):
            self._choose(has["href"][1:].partition("#")[0])
        self._file(tag, has)

    def _choose(self, query: str) -> None:
        self.contents.choices.setdefault(query.partition("=")[0], []).append(query)

    def _file(self, tag: str, has: dict[str, str]) -> None:
        if tag in {"script", "img"} and "src" in has:
            self.contents.files.add(has["src"])
        elif tag in {"link", "use"} and "href" in has:
            self.contents.files.add(has["href"].partition("#")[0])


def contents_of(page: str) -> Contents:
    """Return the contents of a page's HTML."""
    reader = _Reader()
    reader.feed(page)
    return reader.contents


class Browser:
    """A client that asks the web server as a browser does, with the session's cookie."""

    def __init__(self, url: str, session: str) -> None:
        import httpx2

        cookies = {"sessionid": session}
        self._client = httpx2.Client(base_url=url, cookies=cookies, headers=_ACCEPTED, timeout=60)
        self._sizes: dict[str, int] = {}

    def get(self, path: str) -> str:
        """Return the text of a page."""
        answer = self._client.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        self._sizes[path] = answer.num_bytes_downloaded
        return str(answer.text)

    def size(self, path: str) -> int:
        """Return the bytes sent for a file, without the headers."""
        if path not in self._sizes:
            self.get(path)
        return self._sizes[path]

    def first_load(self, path: str) -> int:
        """Return the bytes of a page with all its files."""
        files = contents_of(self.get(path)).files
        return self.size(path) + sum(self.size(urljoin(path, name)) for name in files if name)


def measure(folder: Path, rounds: int, size: int) -> None:
    """Measure all pages, print the tables and save them."""
    from django.conf import settings
    from django.test import Client

    from accounts.models import User

    # Imported late: it needs settings, as everything of Django's.
    from tests.addresses import find_admin_pages, find_pages
    from tests.processes import running_processes

    space = _filled(size)
    harness.vacuum()
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get())
    found = find_pages(client.get, space)
    assert not found.unreached, found.unreached
    groups = {"Pages": found.pages, "The admin": find_admin_pages()}
    report = harness.Report("pages")
    with running_processes(settings.DATABASE_URL, folder) as started:
        browser = Browser(started.web().url, client.cookies["sessionid"].value)
        for title, pages in groups.items():
            report.add(f"{title}, {size:,} memories", _rows(client, browser, pages, rounds))
        filtered = _filtered(browser, found.pages)
        report.add("Filters and orders", _rows(client, browser, filtered, rounds))
    report.save(rounds=rounds, memories=size, web_processes=1)


def _filled(size: int) -> Any:
    """Return the space and its owner; create the space if needed."""
    from django.utils import timezone

    from accounts.members.services import add_member
    from accounts.models import Membership, Role, Space, User
    from benchmarks.lived_in import lived_in
    from foundation.actors import SYSTEM

    space = Space.objects.filter(slug="bench").first()
    if space is None:
        space = lived_in("bench", size, timezone.now())
        owner = User.objects.get()
        add_member(space=space, user=owner, role=Role.OWNER, actor=SYSTEM, now=timezone.now())
    elif not Membership.objects.filter(space=space).exists():
        raise SystemExit("The folder was not filled to its end. Remove it.")
    return space


def _rows(client: Any, browser: Browser, pages: dict[str, str], rounds: int) -> list[harness.Row]:
    """Return a row for each page, the slowest first; the last two show the noise."""
    works: dict[str, Callable[[int], object]] = {
        name: partial(_get, browser, url) for name, url in pages.items()
    }
    slowest = next(iter(works.values()))
    works |= {"health/live (nothing)": partial(_get, browser, "/api/v1/health/live")}
    works |= {"the first of these again (noise)": slowest}
    taken = harness.in_turns(works, rounds=rounds, warm_up=2)
    rows: list[harness.Row] = []
    for name, ms in sorted(taken.items(), key=lambda one: -statistics.median(one[1])):
        url = pages.get(name)
        rows.append(
            {
                "page": name,
                "median ms": round(statistics.median(ms), 1),
                "p95 ms": round(harness.percentile(ms, 95), 1),
                "queries": _queries(client, url) if url else "",
                "page kB": round(browser.size(url) / 1000, 1) if url else "",
                "first load kB": round(browser.first_load(url) / 1000, 1) if url else "",
            }
        )
    return rows


def _get(browser: Browser, url: str, turn: int) -> str:
    return browser.get(url)


def _queries(client: Any, url: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    return len(queries)


def _filtered(browser: Browser, pages: dict[str, str]) -> dict[str, str]:
    """Return, for each field and tab of each page, the choice that takes longest."""
    found = {}
    for name, url in pages.items():
        for choices in contents_of(browser.get(url)).choices.values():
            taken = {
                query: harness.timed(partial(browser.get, f"{url}?{query}")) for query in choices
            }
            slowest = max(taken, key=lambda query: taken[query])
            found[f"{name} ?{slowest[:40]}"] = f"{url}?{slowest}"
    return found


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="The time, queries and bytes of every page")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--memories", type=int, default=MEMORIES)
    parser.add_argument("--keep", type=Path, help="the folder in which the database stays")
    options = parser.parse_args()
    with harness.own_ebb(options.keep) as folder:
        measure(folder, options.rounds, options.memories)


if __name__ == "__main__":
    main()
