"""In the browser: a conversation's settings take effect; a private one leaves nothing."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import Space
from assessor.models import Assessment
from chat.models import Conversation, Message
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.models import Memory
from tests.browser.conftest import LogIn
from tests.memory.writing import create_memory
from tests.processes import Web, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.browser, pytest.mark.stack, pytest.mark.django_db(transaction=True)]

REPLY = ".message.assistant:not(.streaming)"


def say(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Message").fill(text)
    page.keyboard.press("Enter")


@pytest.fixture
def lisbon(space: Space) -> Memory:
    now = timezone.now()
    for text, days in (("User bought a red kettle", 1), ("User moved to Lisbon in March", 40)):
        memory = create_memory(
            space=space,
            draft=MemoryDraft(content=text, created_at=now - timedelta(days=days)),
            actor=SYSTEM,
            now=now,
        )
    return memory


def test_a_conversations_own_settings_take_effect(
    log_in: LogIn, model_web: Web, space: Space, stub_model: StubModel, lisbon: Memory
) -> None:
    page = log_in(on=model_web)
    chips = page.locator("#chosen")
    expect(chips).to_have_text("stub")
    page.get_by_role("button", name="Conversation settings").click()
    page.get_by_label("Ranking of recalled memories").select_option("date")
    expect(chips).to_contain_text("ranking: date")
    page.get_by_label("System prompt").fill("You are a pirate.")
    expect(chips).to_contain_text("own system prompt")
    expect(page.get_by_label("Model", exact=True).locator("option")).to_have_text(
        ["default: stub", "stub"]
    )
    page.locator("#choices").get_by_role("button", name="Close").click()
    say(page, "where do I live?")
    expect(page.locator(REPLY)).to_contain_text("User bought a red kettle")
    asked = stub_model.requests[-1].body["messages"]
    assert asked[0]["content"].startswith("You are a pirate.\n\nToday is ")

    page.reload()
    expect(chips).to_contain_text("own system prompt")
    page.get_by_role("button", name="Conversation settings").click()
    page.get_by_label("Ranking of recalled memories").select_option("")
    expect(chips).not_to_contain_text("ranking")
    wait_until(lambda: Conversation.objects.get().profile == "", what="the change")
    page.locator("#choices").get_by_role("button", name="Close").click()
    say(page, "and where do I live now?")
    expect(page.locator(REPLY).last).to_contain_text("I remember: - [")
    expect(page.locator(REPLY).last).to_contain_text("User moved to Lisbon in March")


def test_a_private_conversation_leaves_nothing(
    log_in: LogIn, model_web: Web, space: Space, stub_model: StubModel, lisbon: Memory
) -> None:
    page = log_in(on=model_web)
    page.get_by_role("link", name="Private conversation").click()
    expect(page.get_by_text("Private: nothing is saved")).to_be_visible()
    say(page, "where do I live?")
    expect(page.locator(REPLY)).to_contain_text("User moved to Lisbon in March")
    expect(page.locator(REPLY)).to_contain_text("not saved")
    expect(page.locator("#recalled .memory").first).to_contain_text("Lisbon")
    say(page, "**bold** <b>b</b> and now?\n\n```\n" + "wide " * 80 + "\n```")
    expect(page.locator(REPLY)).to_have_count(2)
    expect(page.locator(REPLY).last.locator("strong")).to_have_text("bold")
    expect(page.get_by_role("button", name="Copy code")).to_be_visible()
    expect(page.locator("pre")).to_have_attribute("tabindex", "0")
    roles = [message["role"] for message in stub_model.requests[-1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]

    stub_model.script("stall:3")
    say(page, "Tell me more")
    expect(page.locator(".message.assistant").last).to_contain_text("You said: Tell")
    page.keyboard.press("Escape")
    expect(page.locator(REPLY)).to_have_count(3)
    stub_model.until_left()
    stub_model.script("length:2", "500")
    say(page, "Tell me even more")
    expect(page.locator(REPLY).last).to_contain_text("reached its length limit")
    say(page, "Once more")
    expect(page.locator(".note.bad")).to_contain_text("The model's endpoint returned an error")
    assert stub_model.requests[-1].body["messages"][-2]["content"] == "You said:"

    page.reload()
    expect(page.locator(".message")).to_have_count(0)
    for model in (Conversation, Message, Assessment):
        assert not model.objects.exists()
    assert set(Memory.objects.values_list("use_count", flat=True)) == {0}
    page.get_by_role("link", name="Leave").click()
    expect(page).to_have_url(re.compile(r"/s/home/$"))
    expect(page.locator("#no-conversations")).to_be_visible()
