"""The review inbox by keyboard only: next and back, approve, edit, reject, take back."""

import pytest
from playwright.sync_api import expect

from accounts.models import Space
from memory.models import Memory
from tests.browser.conftest import LogIn
from tests.memory.writing import NOW, hold, stored
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]


def test_the_inbox_is_gone_through_by_keys(log_in: LogIn, web: Web, space: Space) -> None:
    held = "I am allergic to penicillin", "Call me Sam", "Velo!", "Always Velo"
    first, wish, odd, last = [hold(space, text) for text in held]
    for day, memory in enumerate([first, wish, odd, last]):
        Memory.objects.filter(pk=memory.pk).update(created_at=NOW.replace(day=1 + day))
    page = log_in()
    page.goto(f"{web.url}/s/home/review/")
    keys, badge = page.keyboard, page.locator("#review-badge")
    expect(page.get_by_text("Nothing to review")).to_be_hidden()
    # What htmx has just put into the page answers to no key for the first 20 milliseconds.
    unsettled = page.locator(".htmx-added, .htmx-settling, .htmx-swapping")

    def focused(memory: Memory) -> None:
        expect(page.locator(f"#held-{memory.pk}")).to_be_focused()
        expect(unsettled).to_have_count(0)

    expect(badge).to_have_text("4 waiting")
    focused(last)
    keys.press("j")
    focused(odd)
    keys.press("k")
    keys.press("x")
    expect(badge).to_have_text("3 waiting")
    focused(odd)
    keys.press("u")
    focused(last)
    expect(page.locator("[data-item]")).to_have_count(4)
    keys.press("x")
    focused(odd)
    keys.press("ArrowDown")
    focused(wish)
    keys.press("e")
    expect(page.get_by_label("Text", exact=True)).to_be_focused()
    keys.press("Control+a")
    keys.type("I am called Sam")
    keys.press("Escape")
    focused(wish)
    keys.press("e")
    expect(page.get_by_label("Text", exact=True)).to_have_value("Call me Sam")
    keys.press("Control+a")
    keys.type("I am called Sam")
    for _ in range(3):
        keys.press("Tab")
    keys.press("Enter")
    focused(first)
    keys.press("a")
    expect(page.locator("[data-item]")).to_have_count(1)
    focused(odd)
    keys.press("x")
    expect(page.get_by_text("Nothing to review")).to_be_visible()
    expect(badge).to_be_hidden()

    assert [stored(memory).status for memory in (first, wish, odd, last)] == [
        "live", "live", "binned", "binned",
    ]  # fmt: skip
    assert stored(wish).content == "I am called Sam"
