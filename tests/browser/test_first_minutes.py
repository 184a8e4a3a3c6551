"""The first minutes: a suggestion is sent, the steps tick, a reply is readable while it is written,
and everything is reached by keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Space, User
from tests.browser.conftest import LogIn, Open
from tests.browser.test_accessibility import PHONE, assert_no_findings
from tests.memory.writing import remember, set_policy
from tests.processes import Web
from tests.stub_model import StubModel

pytestmark = [pytest.mark.browser, pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")


def test_a_suggestion_is_sent_and_the_steps_tick(log_in: LogIn, space: Space) -> None:
    remember(space, "User moved to Lisbon in March", now=space.created_at)
    page = log_in()
    expect(page.locator(".step")).to_have_count(5)
    assert_no_findings(page, "the empty playground")
    page.locator("[data-says]").nth(2).click()
    reply = page.locator(".message.assistant:not(.streaming)")
    expect(reply).to_contain_text("Here's what I know:")
    expect(reply).to_contain_text("User moved to Lisbon in March")
    expect(page.locator("#welcome")).to_have_count(0)
    expect(page.locator(".step.done")).to_contain_text("Say something")

    say(page, "Forget that I moved")
    offer = page.locator(".offer")
    offer.get_by_role("button", name="Delete").click()
    expect(offer).to_contain_text("in the bin")
    expect(offer.get_by_role("button", name="Undo")).to_be_focused()
    expect(page.locator(".step.done").last).to_contain_text("Forget it")
    assert_no_findings(page, "an offer to delete")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a width and a height
    assert_no_findings(page, "an offer to delete on a phone")
    page.get_by_role("button", name="Hide the first steps").click()
    expect(page.locator(".steps")).to_have_count(0)
    page.reload()
    expect(page.locator(".message").first).to_be_visible()
    expect(page.locator(".steps")).to_have_count(0)


def test_markdown_is_rendered_while_it_is_written(
    log_in: LogIn, model_web: Web, stub_model: StubModel
) -> None:
    stub_model.script("hold:6")
    page = log_in(on=model_web)
    say(page, "**bold** words and then some")
    streaming = page.locator(".message.streaming .prose")
    expect(streaming.locator("strong")).to_have_text("bold")
    height = streaming.bounding_box()
    stub_model.release()
    done = page.locator(".message.assistant:not(.streaming) .prose")
    expect(done).to_have_text("You said: bold words and then some")
    assert height is not None
    assert done.bounding_box() == height


def test_replies_and_memories_by_keyboard(
    log_in: LogIn, model_web: Web, stub_model: StubModel, space: Space
) -> None:
    for text in ("User moved to Lisbon", "User likes Lisbon"):
        remember(space, text, now=space.created_at)
    set_policy(space, recall={"min_relevance": 0})
    stub_model.script("reply:```python\nx = 1\n```", "reply:**Second**")
    page = log_in(on=model_web)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    say(page, "Where did I move to, Lisbon?")
    reply = page.locator(".message.assistant:not(.streaming)")
    expect(reply.locator(".code-language")).to_have_text("python")
    expect(reply.get_by_role("button", name="Copy code")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    expect(reply.locator("strong")).to_have_text("Second")
    page.keyboard.press("c")
    expect(reply.locator(".copy")).to_have_class(re.compile("done"))
    assert page.evaluate("navigator.clipboard.readText()") == "**Second**"

    cards = page.locator("#recalled [data-card]")
    page.keyboard.press("j")
    expect(cards.first).to_be_focused()
    page.keyboard.press("j")
    expect(cards.nth(1)).to_be_focused()
    page.keyboard.press("d")
    expect(cards.nth(1)).to_contain_text("Deleted since")
    expect(cards.nth(1).get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("u")
    expect(cards.nth(1)).not_to_contain_text("Deleted since")


def test_a_way_back_to_the_latest(log_in: LogIn, model_web: Web, stub_model: StubModel) -> None:
    stub_model.script("reply:" + "line\n\n" * 60)
    page = log_in(on=model_web)
    say(page, "Tell me a lot")
    expect(page.locator(".message.assistant:not(.streaming)")).to_be_visible()
    latest = page.get_by_role("button", name="Latest")
    expect(latest).to_be_hidden()
    page.locator("#messages").evaluate("area => area.scrollTop = 0")
    latest.click()
    expect(latest).to_be_hidden()
    expect(page.locator(".message-foot")).to_be_in_viewport()
    page.locator("#messages").evaluate("area => area.scrollTop = 0")
    expect(latest).to_be_visible()
    say(page, "Thanks, that is enough")
    expect(page.get_by_text("Thanks, that is enough").last).to_be_in_viewport()


def test_a_viewer_reads_and_reports(
    opened: Open, web: Web, log_in: LogIn, space: Space, bob: User
) -> None:
    memory = remember(space, "User moved to Lisbon", now=space.created_at)
    owner = log_in()
    owner.get_by_label("Whose conversation").select_option("shared")
    say(owner, "Where did I move to, Lisbon?")
    expect(owner.locator("#recalled .memory")).to_have_count(1)
    expect(owner.locator(".message.assistant:not(.streaming)")).to_be_visible()
    page = opened(f"{web.url}/s/{space.slug}/", person=bob)
    expect(page.get_by_text("You can read this space")).to_be_visible()
    page.locator(".conversation").click()
    expect(page.get_by_role("textbox", name="Message")).to_have_count(0)
    expect(page.get_by_text("You are a viewer of this space")).to_be_visible()
    assert_no_findings(page, "a viewer's chat")
    page.get_by_role("link", name="Report as wrong").click()
    page.locator("summary", has_text="Report as wrong").click()
    page.get_by_label("What is wrong?").fill("It was Porto")
    page.get_by_role("button", name="Report", exact=True).click()
    expect(page.get_by_role("button", name="Report", exact=True)).to_have_count(0)
    memory.refresh_from_db()
    assert memory.review_reason == "Reported as wrong: bob: “It was Porto”"
