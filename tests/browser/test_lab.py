"""The ranking lab in the browser: compare, tune, mark, measure, adopt, take back."""

import re
from urllib.parse import parse_qs, urlparse

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Space
from memory.models.policies import current_policy
from tests.browser.conftest import LogIn
from tests.memory.writing import remember
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]
RISOTTO, TOAST = "User's favourite food is mushroom risotto", "User had toast for breakfast"


def test_rankings_are_compared_tuned_measured_and_one_is_adopted(
    log_in: LogIn, web: Web, space: Space
) -> None:
    now = timezone.now()
    remember(space, RISOTTO, importance=0.2, now=now)
    remember(space, TOAST, importance=1.0, now=now)
    for number in range(3):
        remember(space, f"The ferry left pier {number} late", importance=0.1, now=now)
    page = log_in()
    page.get_by_role("link", name="Ranking lab", exact=True).click()
    expect(page.get_by_text("Compare rankings side by side")).to_be_visible()
    columns, figures = page.locator(".lab-column"), page.locator("#figures")
    weights = page.get_by_role("group", name="Custom weights")

    page.get_by_label("Question").press_sequentially("favourite food?", delay=20)
    expect(page).to_have_url(re.compile("q=favourite%20food%3F"))
    expect(columns).to_have_count(2)
    expect(columns.first.locator(".lab-row").first).to_contain_text(RISOTTO)
    page.get_by_role("button", name="Save this question").click()
    expect(page.get_by_role("group", name="Saved questions")).to_be_focused()
    expect(page.get_by_role("link", name="favourite food?")).to_be_visible()
    columns.first.get_by_role("button", name="Relevant", exact=True).first.press("Enter")
    marked = columns.first.get_by_role("button", name="Relevant", exact=True).first
    expect(marked).to_have_attribute("aria-pressed", "true")
    expect(marked).to_be_focused()
    expect(figures.get_by_role("row", name="hybrid")).to_have_text(re.compile("1.001.001.00"))

    expect(weights).to_be_hidden()
    page.get_by_label("Column 2").select_option("own")
    for name, weight in (("meaning", "0"), ("keywords", "0"), ("importance", "3")):
        weights.get_by_label(name).fill(weight)
    expect(columns.nth(1).locator(".lab-row").first).to_contain_text(TOAST)
    expect(columns.nth(1).locator(".lab-row").nth(1)).to_contain_text("↓ was #1")
    expect(page.locator(".lab-links path.down")).not_to_have_count(0)
    expect(figures.get_by_role("row", name="custom weights")).to_contain_text("0.50")
    expect(weights.get_by_role("status").last).to_have_text("3")
    expect(page).to_have_url(re.compile("importance=3"))
    said = parse_qs(urlparse(page.url).query)
    assert (said["q"], said["importance"], said["lexical"]) == (["favourite food?"], ["3"], ["0"])
    page.reload()
    expect(columns.nth(1).locator(".lab-row").first).to_contain_text(TOAST)

    page.get_by_label("Column 2").select_option("typed")
    page.get_by_role("button", name="Use in this space typed").click()
    expect(page.locator(".toast")).to_contain_text(
        "This space now ranks with typed. Policy saved as version 2."
    )
    expect(columns.nth(1)).to_contain_text("in use")
    page.get_by_role("button", name="Undo").click()
    expect(columns.first).to_contain_text("in use")
    assert current_policy(space).document.recall.profile == "hybrid"
    assert current_policy(space).version == 3
