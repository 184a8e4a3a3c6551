"""The story of why: what an answer was given, what can be done about it, what it taught."""

import re

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Space
from memory.models import Memory, RelevanceMark
from tests.browser.conftest import LogIn
from tests.memory.writing import remember, set_policy, stored

pytestmark = [pytest.mark.browser, pytest.mark.stack, pytest.mark.django_db(transaction=True)]
CONTENTS = [
    "User lives in a flat in Lisbon", "User likes tea", "User sings in a choir",
    "User has a cat", "User owns a bicycle",
]  # fmt: skip


def press(page: Page, place: int, button: str) -> None:
    hit = page.locator("#recalled .memory").nth(place)
    hit.hover()
    hit.get_by_role("button", name=button).click()


def test_why_is_seen_and_acted_on(log_in: LogIn, space: Space) -> None:
    memories = {text: remember(space, text, now=space.created_at) for text in CONTENTS}
    set_policy(space, recall={"min_relevance": 0})
    page = log_in()
    page.get_by_role("textbox", name="Message").fill("do I live in Lisbon, in a flat?")
    page.keyboard.press("Enter")
    hits = page.locator("#recalled .memory")
    expect(hits).to_have_count(5)
    first = hits.first
    expect(first).to_contain_text(CONTENTS[0])
    expect(first).to_contain_text("used in the answer")
    expect(first).to_contain_text(re.compile(r"Matched by meaning.*, \d+%; said"))
    expect(first.locator(".signals")).to_be_hidden()
    first.locator("summary").click()
    expect(first).to_contain_text("rank 1")
    expect(first.locator(".signals tbody tr")).to_have_count(4)
    width = first.locator("rect").first.evaluate("bar => bar.getBBox().width")
    assert width > 10
    expect(first.locator(".signals tbody tr td:last-child")).to_have_text([re.compile(r"\d")] * 4)
    near = page.locator("#recalled .near-misses")
    expect(near.locator("h3")).to_have_text("Just missed")
    expect(near.locator(".memory").first).to_be_hidden()
    near.locator("summary").first.click()
    expect(near.locator(".memory")).to_have_count(2)
    near.locator(".memory summary").first.click()
    expect(near.locator(".memory").first).to_contain_text("below the threshold")

    press(page, 0, "Pin")
    expect(first.get_by_role("button", name="Pin")).to_have_attribute("aria-pressed", "true")
    press(page, 0, "Edit")
    page.get_by_label("Text", exact=True).fill("User lives in a house in Lisbon")
    page.get_by_role("button", name="Save").click()
    expect(first).to_contain_text("Now reads: User lives in a house in Lisbon")
    expect(first.get_by_role("button", name="Edit")).to_be_focused()
    lisbon = stored(memories[CONTENTS[0]])
    assert (lisbon.pinned, lisbon.content) == (True, "User lives in a house in Lisbon")

    irrelevant = Memory.objects.get(content=hits.nth(1).locator(".memory-text").inner_text())
    press(page, 1, "Not relevant")
    expect(hits.nth(1)).to_contain_text("not counted as used")
    assert stored(irrelevant).use_count == 0
    assert RelevanceMark.objects.in_space(space).get().memory == irrelevant
    expect(hits.nth(1).get_by_role("button", name="Undo")).to_be_focused()
    press(page, 1, "Undo")
    expect(hits.nth(1).get_by_role("button", name="Edit")).to_be_focused()
    expect(hits.nth(1)).not_to_contain_text("not counted as used")
    assert not RelevanceMark.objects.exists()

    press(page, 2, "Delete")
    expect(hits.nth(2)).to_contain_text("Deleted since")
    page.reload()
    expect(hits.nth(2)).to_contain_text("Deleted since")
    press(page, 2, "Undo")
    expect(hits.nth(2).locator(".tide")).to_be_visible()
    expect(hits.nth(2).get_by_role("button", name="Edit")).to_be_focused()

    # On a phone it is a sheet: what was done in it before does not take the focus again.
    page.set_viewport_size({"width": 390, "height": 844})
    why = page.locator(".turn").get_by_role("button", name="Why")
    why.click()
    expect(first).to_be_visible()
    expect(why).to_be_focused()


def test_what_was_learned_is_corrected_and_discarded(log_in: LogIn, space: Space) -> None:
    page = log_in()
    page.get_by_role("textbox", name="Message").fill("I am allergic to penicillin since 2010")
    page.keyboard.press("Enter")
    learned = page.locator(".learned")
    card = learned.locator(".memory")
    expect(card).to_contain_text("penicillin")
    card.hover()
    learned.get_by_role("button", name="Edit").click()
    learned.get_by_label("Text", exact=True).fill("User is allergic to penicillin")
    learned.get_by_label("Type").select_option("identity")
    learned.get_by_label("Importance").fill("0.95")
    learned.get_by_role("button", name="Save").click()
    expect(card).to_contain_text("identity")
    expect(card).to_contain_text("importance 0.95")
    expect(learned.get_by_role("button", name="Edit")).to_be_focused()
    [memory] = Memory.objects.in_space(space)
    assert memory.content == "User is allergic to penicillin"

    card.hover()
    learned.get_by_role("button", name="Discard").click()
    expect(learned).to_contain_text("in the bin: deleted")
    assert stored(memory).status == "binned"
    learned.get_by_role("button", name="Undo").click()
    expect(learned).not_to_contain_text("in the bin")
    expect(card).to_contain_text("User is allergic to penicillin")
    assert stored(memory).status == "live"
