"""A file is dropped on the chat, and what it says waits for review; a conversation is shared."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import Space, User
from chat.models import Message
from chat.replies.turns import NewConversation, begin_turn
from memory.models import Memory
from tests.browser.conftest import LogIn, Open
from tests.processes import Web

pytestmark = [pytest.mark.browser, pytest.mark.stack, pytest.mark.django_db(transaction=True)]

DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name, {type: "text/plain"}));
  for (const type of ["dragover", "drop"]) {
    document.querySelector("#messages").dispatchEvent(
      new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
  }
}"""


@pytest.mark.usefixtures("worker")
def test_a_dropped_document_waits_for_review(log_in: LogIn, space: Space) -> None:
    page = log_in()
    page.evaluate(DROP, ["notes.txt", "I am allergic to nuts."])
    dialog = page.get_by_role("dialog", name="Remember a document")
    dialog.get_by_role("button", name="Remember this document").click()
    expect(dialog).to_contain_text("sent to review 1")
    assert Memory.objects.in_space(space).get().source_role == "document"

    dialog.get_by_role("link", name="Open the review").click()
    expect(page.locator(".held-why")).to_contain_text("From a document: notes.txt")
    page.get_by_role("button", name="Approve").first.click()
    expect(page.get_by_text("Nothing to review")).to_be_visible()


def test_a_conversation_is_shared_and_no_longer(
    log_in: LogIn, opened: Open, web: Web, space: Space, alice: User, bob: User
) -> None:
    begun = NewConversation(alice, user_id="alice")
    reply = begin_turn(space=space, text="My trip", now=timezone.now(), conversation=begun)
    Message.objects.filter(pk=reply.pk).update(state="done", content="By train.")
    page = log_in()
    page.get_by_role("link", name="My trip").click()
    page.get_by_label("More about this conversation").click()
    page.get_by_role("button", name="Share with this space").click()
    expect(page.locator("#chat-as")).to_contain_text("members can read it")
    expect(page.get_by_label("More about this conversation")).to_be_focused()

    bobs = opened(f"{web.url}/s/{space.slug}/", person=bob)
    bobs.get_by_role("link", name="My trip").click()
    expect(bobs.get_by_text("By train.")).to_be_visible()
    expect(bobs.get_by_role("textbox")).to_have_count(0)

    page.get_by_label("More about this conversation").click()
    page.get_by_role("button", name="Stop sharing").click()
    expect(page.locator("#chat-as")).not_to_contain_text("members can read it")
    bobs.goto(web.url + reverse("playground", args=["home"]))
    expect(bobs.get_by_role("link", name="My trip")).to_have_count(0)
