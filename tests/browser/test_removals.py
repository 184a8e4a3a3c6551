"""Removing and restoring in the browser: extend, delete, select in the bin, restore, undo,
purge."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Space
from memory.models import Memory, MemoryEvent
from memory.retention.recycle_bin import delete_memory
from tests.browser.conftest import LogIn
from tests.browser.test_pages import PHONE, overflow
from tests.memory.sweeping import DAY
from tests.memory.writing import ALICE, remember, stored
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]


def test_a_memory_is_extended_let_go_and_taken_back(log_in: LogIn, web: Web, space: Space) -> None:
    soup = remember(space, "User had soup", importance=0.1, now=timezone.now() - 2 * DAY)
    page = log_in(size=PHONE)
    page.goto(f"{web.url}/s/home/lifetimes/")
    assert overflow(page) <= 0
    card = page.locator(f"#memory-{soup.pk}")
    expect(card).to_contain_text("expires in 24 hours")
    card.get_by_role("button", name="Extend").press("Enter")
    expect(card).to_contain_text("expires in 3 days")
    expect(card.get_by_role("button", name="Extend")).to_be_focused()
    card.get_by_role("button", name="Delete", exact=True).click()
    expect(card).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(card).to_be_visible()
    page.get_by_role("link", name="By capacity").click()
    expect(card).to_contain_text("#1")  # as before: an undo spares nobody
    assert overflow(page) <= 0


def test_the_bin_gives_back_and_takes_for_good(log_in: LogIn, web: Web, space: Space) -> None:
    now = timezone.now()
    names = ("soup", "tea", "rain")
    gone = [remember(space, f"User had {name}", now=now) for name in names]
    for memory in gone:
        delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=now)
    page = log_in()
    page.goto(f"{web.url}/s/home/bin/")
    rows = page.locator("#bin .memory")
    expect(rows).to_have_count(3)
    for name in ("soup", "tea"):
        page.get_by_role("checkbox", name=f"User had {name}").press("Space")
    page.locator(".chosen-actions").get_by_role("button", name="Restore").press("Enter")
    expect(rows).to_have_count(1)
    expect(page.locator("#toasts")).to_contain_text("2 memories restored.")
    page.get_by_role("button", name="Undo").click()
    expect(rows).to_have_count(3)
    assert {stored(memory).status for memory in gone} == {"binned"}

    rain = page.locator(f"#memory-{gone[2].pk}")
    page.once("dialog", lambda dialog: dialog.dismiss())
    rain.get_by_role("button", name="Purge").click()
    expect(rows).to_have_count(3)
    page.once("dialog", lambda dialog: dialog.accept())
    rain.get_by_role("button", name="Purge").click()
    expect(rows).to_have_count(2)
    assert not Memory.objects.filter(pk=gone[2].pk).exists()

    page.get_by_text("History", exact=True).click()
    page.get_by_label("Event").select_option("purged")
    expect(page.locator("#history .entry")).to_have_count(1)
    expect(page).to_have_url(re.compile("action=purged"))
    page.get_by_label("Actor").select_option("assessor")
    expect(page.locator("#history")).to_contain_text("No matches")
    assert MemoryEvent.objects.in_space(space).filter(action="restored").count() == 2
