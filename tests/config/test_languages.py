"""Pages in another language: chosen by the browser or by a person, whole on every page."""

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import Space, User
from accounts.views.settings import PAGES as SETTINGS
from config.pages.navigation import DAILY, MORE
from memory.models import WorkerHeartbeat

# What says what a page and its parts are for. Texts of people and programs are marked as such:
# their direction is found out, or they are not to be translated.
_SAYS = {"title", "h1", "h2", "h3", "nav", "button", "label", "th", "dt", "legend", "summary"}
_TOLD = ("aria-label", "title", "placeholder")
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "wbr", "source"}
_ENGLISH = re.compile(r"[A-Za-z][a-z]+(?:[ ,:;]+[A-Za-z]+)+|^[A-Z]?[a-z]{3,}$")
_CHINESE = re.compile("[一-鿿]")
_NAMES = {"Webhook", "Token"}


class _Words(HTMLParser):
    """The words of headings, navigation, buttons and labels, each once."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        quotes = given.get("dir") == "auto" or given.get("translate") == "no"
        quotes |= tag in {"bdi", "code", "kbd"} or (tag != "html" and "lang" in given)
        if tag not in _VOID:
            self.open.append((tag, quotes))
        if not self._quoted() and not quotes:
            self.found |= {given[name] or "" for name in _TOLD if name in given}

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._quoted() and any(tag in _SAYS for tag, _ in self.open):
            self.found.add(data.strip())

    def _quoted(self) -> bool:
        return any(quotes for _tag, quotes in self.open)


def english(page: str) -> list[str]:
    """Return the texts that are English there."""
    words = _Words()
    words.feed(page)
    said = words.found - _NAMES
    return sorted(text for text in said if _ENGLISH.search(text) and not _CHINESE.search(text))


@pytest.fixture(autouse=True)
def language_of_the_next_test() -> Iterator[None]:
    """A request leaves its language to the thread, and the next test has none."""
    with translation.override(translation.get_language()):
        yield


def test_pages_are_in_the_language_of_the_browser(space: Space, alice: User) -> None:
    client = Client(headers={"accept-language": "zh-CN,zh;q=0.9"})
    client.force_login(alice)
    names = [name for name, *_ in (*DAILY, *MORE, *SETTINGS)]
    pages = {name: client.get(reverse(name, args=[space.slug])) for name in names}

    assert {page.status_code for page in pages.values()} == {200}
    left = {name: english(page.text) for name, page in pages.items()}
    assert {name: words for name, words in left.items() if words} == {}


@pytest.mark.django_db
def test_a_language_that_was_chosen_is_kept() -> None:
    """By the button of a page; it outweighs the browser's."""
    client = Client(headers={"accept-language": "en"})
    login = reverse("account_login")
    page = client.get(login).text
    assert 'lang="en"' in page
    assert english(page) != []
    assert re.search(r'name="language" value="zh-hans"[^>]*aria-label="简体中文"', page)

    answer = client.post(reverse("set_language"), {"language": "zh-hans", "next": login})
    assert answer.headers["Location"] == login
    assert int(answer.cookies["django_language"]["max-age"]) > 30 * 24 * 3600
    page = client.get(login).text
    assert 'lang="zh-hans"' in page
    assert english(page) == []
    assert 'aria-label="English"' in page


def test_programs_are_answered_in_english_whatever_they_ask_for(db: None) -> None:
    WorkerHeartbeat.objects.all().delete()  # of a worker that served tests before
    chinese = {"accept-language": "zh-CN", "cookie": "django_language=zh-hans"}
    answer = Client(headers=chinese).get("/api/v1/health/status")

    assert answer.headers["Content-Language"] == "en"
    assert answer.json()["worker"] == "No worker has reported yet."
