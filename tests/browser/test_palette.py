"""The palette, and the settings' navigation, with keys."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Space
from tests.browser.conftest import LogIn, settled
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
