"""The pages around the story: memories, looks, narrow screens, administration."""

import re
from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from accounts.models import Space, User
from accounts.views.settings import PAGES as SETTINGS
from config.pages.navigation import DAILY, MORE
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft, MemoryTypeName
from memory.models import Memory
from memory.store.services import create_memories
from tests.browser.conftest import LogIn
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]
PHONE = (390, 844)
LAB = "/s/home/lab/?q=lisbon&profile=hybrid&profile=own&profile=date&profile=vivid"


CONTENTS: list[tuple[MemoryTypeName, str]] = [
    ("fact", "User moved to Lisbon in March"),
    ("preference", "User likes very spicy food"),
    ("todo", "User has to send the seagrass paper " + "anotherverylongword" * 12),
    ("observation", "‏המשתמש אוהב תה‏ 🌊 <script>alert(1)</script>"),
]


@pytest.fixture
def memories(space: Space) -> Sequence[Memory]:
    now = timezone.now()
    drafts = [
        MemoryDraft(
            content=content, memory_type=kind, tags=["tag"], created_at=now - timedelta(days=days)
        )
        for days, (kind, content) in enumerate(CONTENTS)
    ]
    return create_memories(space=space, drafts=drafts, actor=SYSTEM, now=now)


def cards(page: Page) -> Locator:
    return page.locator("#memories .memory-text")


def test_memories_are_listed_and_found_while_typing(
    log_in: LogIn, web: Web, memories: Sequence[Memory]
) -> None:
    page = log_in()
    page.get_by_role("link", name="Memories", exact=True).click()
    expect(page.locator("#memories .tide")).to_have_count(4)
    assert set(cards(page).all_text_contents()) == {memory.content for memory in memories}
    page.get_by_role("searchbox").press_sequentially("where do I live", delay=20)
    expect(page).to_have_url(re.compile(r"q=where.do.I.live"))
    expect(page.locator("#memories .match").first).to_have_text(re.compile(r"^\d+% match$"))
    expect(cards(page).first).to_have_text("User moved to Lisbon in March")
    page.get_by_role("searchbox").fill("")
    expect(page.locator("#memories .match")).to_have_count(0)
    page.get_by_label("Type", exact=True).select_option("preference")
    expect(page.locator("#memories .memory")).to_have_count(1)
    page.get_by_label("Order").select_option("-use_count")
    expect(page).to_have_url(re.compile(r"type=preference&order=-use_count"))


def test_a_memory_is_let_go_and_taken_back(
    log_in: LogIn, web: Web, memories: Sequence[Memory]
) -> None:
    lisbon = memories[0]
    page = log_in()
    page.goto(f"{web.url}/s/home/memories/")
    page.locator(f"#memory-{lisbon.pk}").get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(f"#memory-{lisbon.pk}")).to_have_count(0)
    lisbon.refresh_from_db()
    assert lisbon.status == "binned"
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(f"#memory-{lisbon.pk}")).to_be_visible()
    lisbon.refresh_from_db()
    assert lisbon.status == "live"


def test_a_memory_is_pinned_and_unpinned(
    log_in: LogIn, web: Web, memories: Sequence[Memory]
) -> None:
    tea = memories[3]
    page = log_in()
    page.goto(f"{web.url}/s/home/memories/")
    card = page.locator(f"#memory-{tea.pk}")
    pin = card.get_by_role("button", name="Pin")
    expect(pin).to_have_attribute("aria-pressed", "false")
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    tea.refresh_from_db()
    assert tea.pinned
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize(("scheme", "other"), [("light", "dark"), ("dark", "light")])
def test_light_and_dark_follow_the_person_and_stay(
    log_in: LogIn, web: Web, scheme: str, other: str
) -> None:
    page = log_in(color_scheme=scheme)
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", scheme)
    page.get_by_role("button", name="Light or dark").click()
    expect(root).to_have_attribute("data-theme", other)
    page.goto(f"{web.url}/s/home/memories/")
    expect(root).to_have_attribute("data-theme", other)


def overflow(page: Page) -> int:
    page.wait_for_load_state()
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def test_on_a_phone_the_inspector_is_a_sheet(log_in: LogIn, memories: Sequence[Memory]) -> None:
    page = log_in(size=PHONE)
    inspector = page.locator("#inspector")
    expect(inspector).to_be_hidden()
    page.get_by_label("Message", exact=True).fill("where do I live?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message.assistant:not(.streaming)")).to_contain_text("Lisbon")
    page.get_by_role("button", name="Why", exact=True).click()
    expect(inspector).to_be_visible()
    expect(inspector.locator(".memory").first).to_contain_text("Lisbon")
    assert overflow(page) <= 0
    inspector.get_by_role("button", name="Close").click()
    expect(inspector).to_be_hidden()


def test_the_administration_opens(log_in: LogIn, web: Web, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    page = log_in()
    page.get_by_role("link", name="Administration").click()
    expect(page).to_have_url(f"{web.url}/admin/")
    expect(page.get_by_text("Memories").first).to_be_visible()
    page.wait_for_load_state("networkidle")


def test_the_api_is_described(log_in: LogIn, web: Web) -> None:
    page = log_in()
    page.goto(f"{web.url}/api/v1/docs")
    page.wait_for_load_state("networkidle")
    assert page.title() == "Ebb"


# Of the size of its letters: two lines are less.
_SQUEEZED = """headings => headings
    .filter(one => one.offsetHeight > 4 * parseFloat(getComputedStyle(one).fontSize))
    .map(one => one.textContent.trim())"""


def test_no_heading_is_squeezed_on_a_phone(
    log_in: LogIn, web: Web, memories: Sequence[Memory]
) -> None:
    # A Chinese heading may break after each character.
    page = log_in(size=PHONE)
    page.get_by_role("button", name="简体中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")

    for name, *_ in (*DAILY, *MORE, *SETTINGS):
        page.goto(web.url + reverse(name, args=["home"]))
        assert page.locator("h1, h2, h3").evaluate_all(_SQUEEZED) == [], name
