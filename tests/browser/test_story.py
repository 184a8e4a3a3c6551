"""The story of the first five minutes, as a person sees it."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from accounts.models import Space, User
from assessor.models import Assessment
from chat.models import Message
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.models import Memory
from tests.browser.conftest import LogIn, Open, Watch, logged_in, login_link
from tests.memory.writing import create_memory
from tests.processes import Web
from tests.stub_model import StubModel

pytestmark = [pytest.mark.browser, pytest.mark.stack, pytest.mark.django_db(transaction=True)]

STORY = "I'm allergic to penicillin and I moved to Lisbon in March"


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")


def test_a_login_link_works_once(
    opened: Open, web: Web, space: Space, alice: User, watch: Watch
) -> None:
    link = web.url + login_link(alice)
    opened(link)  # as a mail scanner does
    page = logged_in(opened(link))
    expect(page).to_have_url(f"{web.url}/s/home/")
    expect(page.get_by_role("heading", name="New conversation")).to_be_visible()

    stranger = opened(link)
    expect(stranger.get_by_role("heading", name="This link no longer works")).to_be_visible()
    stranger.goto(f"{web.url}/s/home/")
    assert "/login/" in stranger.url
    assert [c for c in watch.complaints if c.startswith("answer: 403")]
    watch.complaints.clear()


def test_what_was_typed_stays_when_the_session_has_ended(
    log_in: LogIn, space: Space, watch: Watch
) -> None:
    page = log_in()
    page.context.clear_cookies(name="sessionid")
    say(page, STORY)
    expect(page.locator("#toasts")).to_contain_text("You are logged out.")
    expect(page.get_by_label("Message", exact=True)).to_have_value(STORY)
    expect(page.get_by_label("Password")).to_have_count(0)
    assert not Message.objects.exists()
    assert [c for c in watch.complaints if c.startswith("answer: 401")]
    watch.complaints.clear()


def test_memory_can_be_switched_off_beside_the_message(log_in: LogIn, space: Space) -> None:
    page = log_in()
    page.get_by_label("Memory in this conversation").select_option("memory off")
    say(page, STORY)
    reply = page.locator(".message.assistant:not(.streaming)")
    expect(reply).to_contain_text("Memory is off in this conversation")
    expect(page.locator(".learned")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Memory in this conversation")).to_have_value("off")
    assert not Assessment.objects.in_space(space).exists()


def test_what_is_sent_before_the_page_is_whole_waits_for_it(log_in: LogIn) -> None:
    page = log_in()
    scripts: list[Route] = []
    # They do not come until they are let through.
    page.route(re.compile("htmx"), lambda route: scripts.append(route))
    page.goto(page.url, wait_until="commit")
    say(page, STORY)
    expect(page.get_by_label("Message", exact=True)).to_have_value(STORY)
    expect(page.locator(".message")).to_have_count(0)
    for script in scripts:
        script.continue_()
    expect(page.locator(".message.user .prose")).to_have_text(STORY)
    expect(page.locator(".message.assistant:not(.streaming)")).to_contain_text("built-in responder")
    expect(page.get_by_role("heading", level=1)).not_to_have_text("New conversation")


def test_what_is_said_is_remembered_and_recalled(log_in: LogIn, space: Space) -> None:
    page = log_in()
    say(page, STORY)
    expect(page.locator(".message.user .prose")).to_have_text(STORY)
    reply = page.locator(".message.assistant:not(.streaming)")
    expect(reply).to_contain_text("built-in responder")
    learned = page.locator(".learned")
    expect(learned.get_by_text("saved", exact=True)).to_be_visible()
    card = learned.locator(".memory").first
    expect(card).to_contain_text("penicillin")
    expect(card).to_contain_text(re.compile(r"importance 0\.\d+|importance 1\.0*"))
    expect(card).to_contain_text(re.compile("kept|expires"))
    first = page.url
    assert re.search(r"/c/[0-9a-f-]{36}/$", first)

    page.get_by_role("link", name="New conversation").click()
    expect(page.locator(".message")).to_have_count(0)
    say(page, "where did I move to?")
    inspector = page.locator("#recalled .memory")
    expect(inspector.first).to_contain_text("Lisbon")
    expect(inspector.first.locator(".match")).to_have_text(re.compile(r"^\d+% match$"))
    expect(page.locator(".message.assistant:not(.streaming)")).to_contain_text("Lisbon")
    # The end of the reply draws the panel again, which closes what was open.
    expect(inspector.first).to_contain_text("used in the answer")
    inspector.first.locator("summary").click()
    expect(inspector.first.locator(".signals")).to_be_visible()
    expect(page.locator("#conversation-list .conversation")).to_have_count(2)
    expect(page).not_to_have_url(first)
    [memory] = Memory.objects.in_space(space).filter(content__contains="Lisbon")
    assert memory.use_count == 1


def test_a_conversation_is_there_again_after_a_reload(log_in: LogIn) -> None:
    page = log_in()
    say(page, STORY)
    expect(page.locator(".learned .chip.good")).to_be_visible()
    page.reload()
    expect(page.locator(".message.user .prose")).to_have_text(STORY)
    expect(page.locator(".learned .memory").first).to_contain_text("penicillin")
    expect(page.locator(".message.assistant")).to_have_count(1)


def test_a_model_streams_and_is_given_the_memory(
    log_in: LogIn, model_web: Web, space: Space, stub_model: StubModel
) -> None:
    create_memory(
        space=space,
        draft=MemoryDraft(content="User moved to Lisbon in March", memory_type="fact"),
        actor=SYSTEM,
        now=space.created_at,
    )
    stub_model.script("hold:3")
    page = log_in(on=model_web)
    say(page, "where did I move to?")
    streaming = page.locator(".message.assistant.streaming .prose")
    expect(streaming).to_have_text("You said: where")
    stub_model.release()
    expect(page.locator(".message.assistant:not(.streaming)")).to_contain_text("I remember: - [")
    expect(page.locator(".message.assistant")).to_contain_text("User moved to Lisbon in March")
    expect(page.locator(".message-foot")).to_contain_text("1 memory recalled")


def test_a_failing_model_is_said_and_nothing_is_lost(
    log_in: LogIn, model_web: Web, stub_model: StubModel
) -> None:
    stub_model.script("close:3")
    page = log_in(on=model_web)
    say(page, "I like long walks along the river")
    expect(page.locator(".note.bad")).to_contain_text("was cut off")
    expect(page.locator(".message.assistant")).to_contain_text("You said: I")
    say(page, "Once more")
    replies = page.locator(".message.assistant:not(.streaming)")
    expect(replies).to_have_count(2)
    expect(replies.last).to_contain_text("You said: Once more")
    assert set(Message.objects.filter(role="assistant").values_list("state", flat=True)) == {
        "failed", "done",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.owned = 1</script><img src=x onerror='window.owned = 1'>",
        "‏אני גר בליסבון 🌊 <b>bold</b> & {{ 7*7 }}",
    ],
)
def test_what_people_write_is_shown_and_does_nothing(
    log_in: LogIn, model_web: Web, stub_model: StubModel, text: str
) -> None:
    page = log_in(on=model_web)
    say(page, text)
    expect(page.locator(".message.user .prose")).to_have_text(text)
    reply = page.locator(".message.assistant:not(.streaming) .prose")
    expect(reply).to_have_text(f"You said: {text}")
    expect(reply).to_have_attribute("dir", "auto")
    assert page.evaluate("window.owned") is None
    assert reply.locator("script, img, b").count() == 0
    page.reload()
    expect(page.locator(".message.user .prose")).to_have_text(text)
    expect(reply).to_have_text(f"You said: {text}")
    assert page.evaluate("window.owned") is None
