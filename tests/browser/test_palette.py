"""The palette, the settings' navigation and the timeline, with keys and pointer."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Space
from tests.browser.conftest import LogIn, settled
from tests.memory.sweeping import DAY
from tests.memory.writing import remember
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]


def test_everything_is_a_few_keys_away(log_in: LogIn, web: Web, space: Space) -> None:
    remember(space, "User moved to Lisbon", now=timezone.now())
    page = log_in()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search everything")
    expect(field).to_be_focused()
    expect(page.get_by_role("option", name="Policy")).to_be_visible()

    # The answer to all six letters chooses the first entry again.
    with page.expect_response(re.compile("q=lisbon$")):
        field.press_sequentially("lisbon", delay=20)
    settled(page)
    expect(page.get_by_role("option", name="User moved to Lisbon")).to_have_attribute(
        "aria-selected", "true"
    )
    page.keyboard.press("ArrowDown")
    chosen = page.locator(".palette-entry[aria-selected=true]")
    expect(chosen).to_have_text("Search all memories by meaning")
    expect(field).to_have_attribute("aria-activedescendant", re.compile("palette-"))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memories/*/")
    expect(page.get_by_role("heading", level=1)).to_have_text("User moved to Lisbon")

    page.keyboard.press("Control+k")
    field.fill("embed")
    page.get_by_role("option", name="Embeddings").click()
    page.wait_for_url("**/settings/embeddings/")
    crumbs = page.get_by_role("navigation", name="Breadcrumbs")
    expect(crumbs).to_have_text(re.compile(r"Settings\s+Embeddings"))
    page.get_by_role("navigation", name="Settings").get_by_role("link", name="Members").click()
    page.wait_for_url("**/settings/members/")
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()


def test_the_timeline_is_narrowed_by_dragging(log_in: LogIn, web: Web, space: Space) -> None:
    now = timezone.now()
    remember(space, "User had toast", now=now - 9 * DAY)
    remember(space, "User had tea", now=now)
    page = log_in()
    page.get_by_role("link", name="Overview").click()
    columns, events = page.locator(".brush [data-since]"), page.locator(".timeline-events li")
    expect(columns).to_have_count(10)
    expect(events).to_have_count(2)

    first, third = columns.nth(0).locator(".place"), columns.nth(2).locator(".place")
    first.hover(force=True)  # a bar may stand before it
    page.mouse.down()
    third.hover(force=True)
    expect(page.locator(".brush .brushed")).to_have_count(3)
    page.mouse.up()
    expect(columns).to_have_count(3)
    expect(events).to_have_count(1)
    expect(events).to_contain_text("User had toast")

    page.get_by_role("button", name="Reset").click()
    expect(columns).to_have_count(10)
    page.get_by_label("saved").uncheck()
    expect(events).to_have_count(0)
