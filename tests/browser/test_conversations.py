"""Conversations are found, renamed and let go; replies are stopped, written anew, picked up."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import Space
from assessor.models import Assessment
from chat.models import Conversation, Message
from chat.replies.turns import begin_turn
from tests.browser.conftest import LogIn, settled
from tests.processes import Web
from tests.stub_model import StubModel

pytestmark = [pytest.mark.browser, pytest.mark.stack, pytest.mark.django_db(transaction=True)]

CODE = """\
```python
print("<b>Lisbon</b>")
```

![a map](https://stranger.example/map.png)"""


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")


def said(page: Page) -> Locator:
    return page.locator(".message.user .prose")


def replies(page: Page) -> Locator:
    return page.locator(".message.assistant:not(.streaming)")


def talked(space: Space, text: str) -> None:
    reply = begin_turn(space=space, text=text, now=space.created_at, memory="off")
    answer = f"So: {text}" + "\n\nwell" * 30
    Message.objects.filter(pk=reply.pk).update(state="done", content=answer)


def listed(page: Page) -> Locator:
    return page.locator("#conversation-list .conversation")


def test_by_keyboard_conversations_are_found_renamed_let_go_and_taken_back(
    log_in: LogIn, model_web: Web, space: Space
) -> None:
    for text in ("I moved to Lisbon", "昨天在杭州喝了龙井茶", "Pasta for dinner"):
        talked(space, text)
    Conversation.objects.bulk_create(
        Conversation(space=space, title=f"Old {n}", updated_at="2020-01-01T00:00Z")
        for n in range(60)
    )
    page = log_in(on=model_web)
    expect(listed(page)).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(listed(page)).to_have_count(63)
    # Out of the message; then a key a thing.
    page.get_by_label("Message", exact=True).press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("search conversations")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("/")
    with page.expect_response(re.compile(quote("龙井"))):
        page.keyboard.type("龙井")
    expect(listed(page)).to_have_text(["昨天在杭州喝了龙井茶"])
    page.keyboard.press("Control+A")
    with page.expect_response(re.compile("so%20lisbon")):
        page.keyboard.type("so lisbon")
    settled(page)
    expect(listed(page)).to_have_text(["I moved to Lisbon"])
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.textContent") != "I moved to Lisbon":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("I moved to Lisbon")

    row = page.locator(".conversation-row", has=page.locator("[aria-current]"))
    row.get_by_role("button", name="Rename").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Title").fill("Nothing")
    page.keyboard.press("Escape")
    expect(row.locator("a")).to_have_text("I moved to Lisbon")
    expect(row.get_by_role("button", name="Rename")).to_be_focused()
    row.get_by_role("button", name="Rename").press("Enter")
    page.get_by_label("Title").fill("Moving <b>")
    page.keyboard.press("Enter")
    expect(row.locator("a")).to_have_text("Moving <b>")
    expect(page.get_by_role("heading", level=1)).to_have_text("Moving <b>")
    expect(page).to_have_title("Moving <b> · Ebb")

    row.get_by_role("button", name="Delete").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("New conversation")
    expect(listed(page).filter(has_text="Moving")).to_have_count(0)
    expect(page.locator("#toasts")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Moving <b>")
    expect(said(page)).to_have_text("I moved to Lisbon")
    pasta = page.locator(".conversation-row", has_text="Pasta")
    pasta.get_by_role("button", name="Delete").press("Enter")
    expect(pasta).to_have_count(0)
    expect(page.locator("#conversation-rows")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(said(page)).to_have_text("Pasta for dinner")
    # A phone's keyboard takes room from the messages: their end stays in view.
    end = page.locator(".message-foot")
    expect(end).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 390, "height": 500})
    expect(end).to_be_in_viewport(ratio=1)
    # On a phone the list is a sheet, and does not cover the undo.
    page.get_by_role("button", name="Conversations").click()
    moving = page.locator(".conversation-row", has_text="Moving")
    moving.get_by_role("button", name="Delete").press("Enter")
    page.get_by_role("button", name="Undo").click()
    expect(said(page)).to_have_text("I moved to Lisbon")
    page.set_viewport_size({"width": 1280, "height": 860})
    page.get_by_label("Message", exact=True).press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", level=1)).to_have_text("New conversation")


def test_a_reply_is_stopped_tried_again_and_a_message_said_anew(
    log_in: LogIn, model_web: Web, stub_model: StubModel
) -> None:
    page = log_in(on=model_web, size=(390, 844))
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    stub_model.script("stall:3", "close:2", f"reply:{CODE}")
    say(page, "Where do I live?")
    expect(page.locator(".message.streaming")).to_contain_text("You said: Where")
    expect(page.get_by_role("button", name="Send")).to_be_hidden()
    # What is sent meanwhile is refused in a sentence, and stays where it was typed.
    say(page, "And why?")
    expect(page.locator(".toast")).to_contain_text("still being written")
    message = page.get_by_label("Message", exact=True)
    expect(message).to_have_value("And why?")
    page.keyboard.press("Escape")
    expect(replies(page)).to_contain_text("The reply was stopped here")
    expect(replies(page)).to_contain_text("You said: Where")
    message.fill("")

    page.get_by_role("button", name="Regenerate").press("Enter")
    expect(page.get_by_label("Messages")).to_be_focused()
    expect(page.locator(".note.bad")).to_contain_text("was cut off")
    page.get_by_role("button", name="Try again").click()
    expect(replies(page).locator("code")).to_have_text('print("<b>Lisbon</b>")\n')
    expect(replies(page)).to_have_count(1)
    expect(page.get_by_role("button", name="Copy code")).to_be_visible()
    link = replies(page).get_by_role("link", name="a map")
    expect(link).to_have_attribute("target", "_blank")
    assert not [url for url in requested if "stranger" in url]
    assert Assessment.objects.count() == 1

    say(page, "And in winter?")
    expect(replies(page)).to_have_count(2)
    message.press("ArrowUp")
    expect(page.get_by_label("Edit message")).to_be_focused()
    page.keyboard.press("Escape")
    expect(message).to_be_focused()
    page.get_by_role("button", name="Edit").first.click()
    page.get_by_label("Edit message").fill("Where do I work?")
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text(["Where do I work?"])
    expect(replies(page)).to_have_text([re.compile("You said: Where do I work?")])
    expect(listed(page)).to_have_text(["Where do I work?"])
    expect(page).to_have_title("Where do I work? · Ebb")
    page.get_by_role("button", name="Undo").click()
    expect(said(page)).to_have_text(["Where do I live?", "And in winter?"])
    assert Message.objects.filter(replaced_at=None).count() == 4


def test_a_reload_and_a_second_tab_pick_a_reply_up_in_mid_stream(
    log_in: LogIn, model_web: Web, stub_model: StubModel
) -> None:
    stub_model.script("hold:5")
    page = log_in(on=model_web)
    words = " ".join(f"w{n}" for n in range(30))
    say(page, words)
    streaming = page.locator(".message.streaming .prose")
    expect(streaming).to_have_text("You said: w0 w1 w2")
    page.reload()
    expect(streaming).to_have_text("You said: w0 w1 w2")
    second = page.context.new_page()
    second.goto(page.url)
    expect(second.locator(".message.streaming .prose")).to_have_text("You said: w0 w1 w2")
    stub_model.release()
    for tab in (page, second):
        expect(replies(tab).locator(".prose")).to_have_text(f"You said: {words}")
    assert len(stub_model.requests) == 1
    assert Message.objects.get(role="assistant").state == "done"


def look_again(tab: Page) -> None:
    """Comes back to the tab, as by a click on its window."""
    with tab.expect_response(re.compile("/poll/")):
        tab.evaluate("window.dispatchEvent(new Event('focus'))")
    settled(tab)


def test_a_second_tab_shows_what_is_said_in_the_first_once(
    log_in: LogIn, model_web: Web, space: Space, stub_model: StubModel
) -> None:
    talked(space, "I moved to Lisbon")
    page = log_in(on=model_web)
    listed(page).click()
    expect(replies(page)).to_have_count(1)
    second = page.context.new_page()
    second.goto(page.url)
    stub_model.script("hold:4")
    # What is sent while the page is looking is drawn by its own answer: the other is given up.
    page.route("**/poll/**", lambda route: None)
    with page.expect_request(re.compile("/poll/")):
        page.evaluate("window.dispatchEvent(new Event('focus'))")
    with page.expect_event("requestfailed", lambda request: "/poll/" in request.url):
        say(page, "And in winter?")
    page.unroute("**/poll/**")
    for tab in (second, page, second):
        look_again(tab)
        expect(said(tab)).to_have_text(["I moved to Lisbon", "And in winter?"])
        expect(tab.locator(".message.streaming .prose")).to_have_text("You said: And in")
    stub_model.release()
    for tab in (page, second):
        expect(replies(tab)).to_have_count(2)

    # A reply that was written anew takes the old one's place, but not from under who is editing.
    second.get_by_role("button", name="Edit").last.click()
    second.get_by_label("Edit message").fill("And in spring?")
    stub_model.script("reply:Mild.")
    page.get_by_role("button", name="Regenerate").last.click()
    expect(replies(page).last.locator(".prose")).to_have_text("Mild.")
    look_again(second)
    expect(second.get_by_label("Edit message")).to_have_value("And in spring?")
    second.get_by_label("Edit message").press("Escape")
    expect(said(second)).to_have_count(2)
    look_again(second)
    expect(replies(second).locator(".prose").last).to_have_text("Mild.")
    expect(second.locator(".turn")).to_have_count(2)
