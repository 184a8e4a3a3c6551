"""The digest, in the browser: a line is undone by keyboard, weeks are paged through."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Space
from memory.models import Memory
from tests.browser.conftest import LogIn
from tests.browser.test_pages import PHONE, overflow
from tests.memory.writing import remember, stored
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]


def test_a_line_is_undone_and_weeks_are_paged_through(
    log_in: LogIn, web: Web, space: Space
) -> None:
    now = timezone.now()
    soup, tea = (remember(space, f"User had {name}", now=now) for name in ("soup", "tea"))
    page = log_in(size=PHONE)
    page.goto(f"{web.url}/s/home/overview/")
    page.get_by_role("link", name="Weekly digest").click()
    line = page.get_by_role("listitem").filter(has_text="User had soup")
    expect(line).to_contain_text("Undo moves this memory to the bin.")
    assert overflow(page) <= 0

    line.get_by_role("button", name="Undo").press("Enter")

    expect(line).to_contain_text("Now in the bin")
    expect(line).to_be_focused()
    expect(page.locator("#toasts")).to_contain_text("Undone.")
    assert [stored(one).status for one in (soup, tea)] == ["binned", "live"]
    page.get_by_role("link", name="Earlier week").click()
    expect(page.get_by_role("heading", name="Nothing changed this week")).to_be_visible()
    page.get_by_role("link", name="Later week").click()
    expect(line).to_be_visible()
    assert Memory.objects.in_space(space).live().get() == stored(tea)
