"""An operator connects a model on the page, tests it, and it answers the chat without a restart."""

import json

import pytest
from django.core.cache import caches
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import Space, User
from memory.models import ModelConnection, ModelUsage
from tests.browser.conftest import LogIn
from tests.processes import Web
from tests.stub_model import StubModel

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]


def test_a_model_is_connected_tested_chosen_and_answers(
    log_in: LogIn, web: Web, space: Space, alice: User, stub_model: StubModel
) -> None:
    caches["process"].clear()
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    page = log_in(on=web)
    page.goto(web.url + reverse("models", args=["home"]))
    page.get_by_label("Provider").select_option("ollama")
    expect(page.get_by_label("Name")).to_have_value("Ollama")
    page.get_by_label("Address").fill(stub_model.base_url)
    page.get_by_label("API key").fill("sk-a-key-of-the-test")
    page.get_by_role("button", name="Add connection").click()
    expect(page.get_by_text("Connection added: Ollama")).to_be_visible()
    card = page.locator("section", has=page.get_by_role("heading", name="Ollama", exact=True)).last
    expect(card.get_by_label("Model", exact=True)).to_have_value("stub")

    ready = json.dumps({"ready": True})
    stub_model.script("reply:ready", f"tool:report_ready:{ready}", f"reply:{ready}")
    page.get_by_role("button", name="Test Ollama").click()
    expect(card.get_by_role("status")).to_contain_text("The model called a tool.")
    assert "sk-a-key-of-the-test" not in page.content()

    card.get_by_role("button", name="Choose a model").click()
    card.get_by_label("Model", exact=True).select_option("stub")
    card.get_by_label("Use for").select_option("chat")
    card.get_by_role("button", name="Use this model").click()
    expect(page.locator("#part-chat")).to_contain_text("chosen for all spaces")

    page.goto(web.url + reverse("playground", args=["home"]))
    page.get_by_label("Message", exact=True).fill("I like tea")
    page.keyboard.press("Enter")
    # Usage is stored at the end of the reply, which is later than its last word.
    reply = page.locator(".message.assistant:not(.streaming)")
    expect(reply).to_contain_text("You said: I like tea")
    assert stub_model.requests[-1].authorization == "Bearer sk-a-key-of-the-test"

    page.goto(web.url + reverse("usage", args=["home"]))
    expect(page.get_by_role("rowheader", name="Ollama")).to_be_visible()
    assert ModelUsage.objects.get(purpose="chat").connection_id == ModelConnection.objects.get().pk
