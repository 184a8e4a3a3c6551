"""The model's tool calls appear in the turn, while the reply is written and later."""

import json

import pytest
from playwright.sync_api import expect

from accounts.models import Space
from memory.models import Memory
from tests.browser.conftest import LogIn
from tests.chat.tool_calls import knows_tools
from tests.processes import Web
from tests.stub_model import StubModel

pytestmark = [pytest.mark.browser, pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def test_the_model_remembers_by_a_tool_and_the_page_shows_it(
    log_in: LogIn, model_web: Web, space: Space, stub_model: StubModel
) -> None:
    calls = [
        ["remember", json.dumps({"content": "User is <b>allergic</b> to penicillin"})],
        ["forget", '{"memory_id": "ffffffff"}'],
    ]
    stub_model.script("tools:" + json.dumps({"calls": calls}), "hold:2")
    knows_tools(stub_model)
    page = log_in(on=model_web)
    page.get_by_label("Message", exact=True).fill("Please remember my allergy")
    page.keyboard.press("Enter")
    while_written = page.locator(".message.streaming .tool-call summary")
    words = ["saved: User is <b>allergic</b> to penicillin", "not deleted: there is no such memory"]
    expect(while_written).to_have_text(words)
    [memory] = Memory.objects.in_space(space)
    assert (memory.content, memory.source_role) == (
        *("User is <b>allergic</b> to penicillin", "tool"),
    )

    stub_model.release()
    whole = page.locator(".message.assistant:not(.streaming) .tool-call")
    expect(whole.locator("summary")).to_have_text(words)
    page.reload()
    expect(whole.locator("summary")).to_have_text(words)
    expect(whole.first.locator("pre")).to_be_hidden()
    whole.first.locator("summary").press("Enter")
    expect(whole.first.locator("pre")).to_contain_text(
        f"Saved: User is ‹b>allergic‹/b> to penicillin (id: {memory.short_id}); "
    )
    whole.last.locator("summary").click()
    expect(whole.last.locator("pre")).to_have_text("not_found: Memory not found.")
    expect(page.locator(".tool-call.failed")).to_have_count(1)

    page.get_by_role("link", name="Memories").first.click()
    expect(page.locator(".memory")).to_contain_text("penicillin")
