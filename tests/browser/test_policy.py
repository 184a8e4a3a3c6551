"""The rules of a space in the browser: what a number would do is seen before it is saved."""

from collections.abc import Sequence

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Space
from memory.models import Memory
from memory.models.policies import current_policy
from tests.browser.conftest import LogIn
from tests.memory.writing import remember
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]
PHONE = (390, 844)


@pytest.fixture
def memories(space: Space) -> Sequence[Memory]:
    now = timezone.now()
    said = [("User had toast", 0.75), ("User sings in a choir", 0.8), ("User has a cat", 0.9)]
    return [remember(space, text, importance=weight, now=now) for text, weight in said]


def test_a_number_is_tried_saved_and_taken_back(
    log_in: LogIn, web: Web, space: Space, memories: Sequence[Memory]
) -> None:
    page = log_in(size=PHONE)
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Policy", exact=True).click()
    for lists in (".rail-nav li", ".versions li"):
        expect(page.locator(lists).first).to_have_css("list-style-type", "none")
    told, summary = page.locator("#policy-preview"), page.locator("#policy-summary")
    expect(told).to_contain_text("This is the policy in effect.")
    page.get_by_label("Capacity").fill("none")
    expect(page.get_by_text("Enter a whole number from 1 to 100,000,000.")).to_be_visible()
    page.get_by_label("Capacity").fill("2")
    page.get_by_label("Grace period", exact=True).fill("0")
    expect(summary).to_contain_text(
        "2 settings changed · 0 would expire · 1 would be removed for space"
    )
    expect(told.locator(".fate")).to_contain_text("User had toast")
    page.get_by_label("Question 1").press_sequentially("toast", delay=20)
    expect(page.locator("#policy-rankings .lost")).to_contain_text("User had toast")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert current_policy(space).version == 1

    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast")).to_contain_text("Saved as version 2. Capacity 800")
    expect(page.get_by_label("Question 1")).to_have_value("toast")
    assert current_policy(space).document.capacity == 2
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.locator(".version").first).to_contain_text("2 memories → 800 memories")
    assert current_policy(space).document.capacity == 800
