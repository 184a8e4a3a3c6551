"""Many memories in the browser: narrowed down, ticked, tagged, deleted, taken back; and one of
them, with where it came from, what it said and what becomes of it."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import Space
from memory.drafts import MemoryChange
from memory.models import Memory
from memory.store.services import revise_memory
from tests.browser.conftest import LogIn
from tests.browser.test_accessibility import assert_no_findings
from tests.browser.test_pages import PHONE, overflow
from tests.memory.sweeping import DAY
from tests.memory.writing import ALICE, actions, remember, stored
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]


def test_memories_are_changed_together_and_one_is_looked_into(
    log_in: LogIn, web: Web, space: Space
) -> None:
    now = timezone.now()
    soup, tea, name = (
        remember(space, text, importance=weight, now=now - 2 * DAY, memory_type="fact")
        for text, weight in (("User had soup", 0.4), ("User had tea", 0.4), ("User is Jaz", 0.95))
    )
    change = MemoryChange(content="User had hot soup")
    revise_memory(space=space, memory_id=soup.pk, change=change, actor=ALICE, now=now - DAY)
    page = log_in()
    page.goto(f"{web.url}/s/home/memories/")
    rows = page.locator("#memories .memory")
    page.get_by_text("More filters").click()
    page.get_by_label("Lifetime").select_option("week")
    expect(rows).to_have_count(2)
    expect(page).to_have_url(f"{web.url}/s/home/memories/?lifetime=week")

    page.get_by_label("Select all shown").check()
    expect(page.locator("[data-ticks-count]")).to_have_text("2")
    page.get_by_label("Tag for the selected memories").fill("Food")
    assert_no_findings(page, "ticked memories")
    page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Tag added to 2 memories.")
    expect(page.locator("#memories a.chip", has_text="food")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#toasts")).to_contain_text("Undone for 2 memories.")
    expect(page.locator("#memories a.chip")).to_have_count(0)
    page.get_by_role("checkbox", name="Select: User had tea").check()
    page.get_by_role("button", name="Delete", exact=True).first.click()
    expect(rows).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(rows).to_have_count(2)
    assert stored(tea).status == "live"
    assert stored(tea).expires_at == tea.expires_at
    _by_keys_in_a_search(page, tea)

    page.get_by_role("link", name="User had hot soup").click()
    expect(page).to_have_url(f"{web.url}/s/home/memories/{soup.pk}/")
    expect(page.get_by_text("Not learned from a conversation")).to_be_visible()
    expect(page.locator("aside .memory")).to_have_count(2)
    expect(page.locator(".difference ins")).to_have_text("hot ")
    expect(page.locator("polyline.curve-unused")).to_be_visible()
    page.locator("#memory-page").get_by_text("Show as table").click()
    assert_no_findings(page, "one memory")
    page.get_by_role("button", name="Revert to version 1").click()
    expect(page.locator(".memory-says")).to_have_text("User had soup")
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Text", exact=True).fill("User had no soup")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".memory-says")).to_have_text("User had no soup")
    expect(page.get_by_role("button", name="Edit")).to_be_focused()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#memory-page")).to_contain_text("In the bin since")
    expect(page.get_by_role("button", name="Restore")).to_be_focused()
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Pin")).to_be_visible()
    assert actions(soup)[-2:] == ["deleted", "restored"]
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert overflow(page) <= 0
    page.get_by_role("link", name=re.compile("User is Jaz")).click()
    expect(page.locator("#memory-page")).to_contain_text("kept forever")
    assert Memory.objects.in_space(space).live().filter(pk=name.pk).exists()


def _by_keys_in_a_search(page: Page, memory: Memory) -> None:
    """Use the keys in a search: a pressed card keeps the focus and its match, a removed one
    passes the focus on, and the undo restores all."""
    narrowed = page.url
    page.goto(f"{narrowed.partition('?')[0]}?q=tea")
    first = page.locator("#memories .memory").first
    expect(first).to_contain_text("User had tea")
    expect(first).to_contain_text("% match")
    first.get_by_role("button", name="Pin").press("Enter")
    expect(first.get_by_role("button", name="Pin")).to_have_attribute("aria-pressed", "true")
    expect(first.get_by_role("button", name="Pin")).to_be_focused()
    expect(first).to_contain_text("% match")
    expect(first.locator(".signals")).to_be_visible()
    before = Memory.objects.values().get(pk=memory.pk)
    first.get_by_role("button", name="Delete", exact=True).press("Enter")
    expect(page.locator("#memories")).not_to_contain_text("User had tea")
    expect(page.locator("#memories .memory-link").first).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#memories")).to_contain_text("User had tea")
    assert Memory.objects.values().get(pk=memory.pk) == before
    page.goto(narrowed)
