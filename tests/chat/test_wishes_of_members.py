"""A standing wish applies to the person who said it, at every interface: one member's wish is never
in the prompt of another's reply."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.authentication import Access
from accounts.members.services import add_member
from accounts.models import Role, Space, User
from assessor.llm import ToolCall
from assessor.models import Assessment
from assessor.tasks import assess
from chat.models import Conversation, Message
from chat.replies.edits import edit_message
from chat.replies.ephemeral import ephemeral_conversation
from chat.replies.turns import answer_again
from chat.replies.writing import recall_for
from chat.responders.prompting import system_prompt
from chat.responders.toolbox import Toolbox
from foundation.actors import SYSTEM, Actor
from foundation.readers import EVERYONE, Reader
from memory.models import Memory
from memory.models.policies import current_policy
from memory.policies.form import texts_of
from memory.policy import PolicyDocument
from tests.conftest import Answer, ApiClient, MakeKey
from tests.memory.writing import ALICE, set_policy
from tests.pages import login

WISH = "Please always answer in short sentences."

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("both_write")]


@pytest.fixture
def both_write(space: Space) -> None:
    """eve joins alice, as an editor."""
    eve = User.objects.create_user("eve", password=None)
    add_member(space=space, user=eve, role=Role.EDITOR, actor=SYSTEM, now=timezone.now())


def browser(name: str) -> Client:
    return login(User.objects.get(username=name))


def say(space: Space, name: str, text: str, where: Conversation | None = None) -> Message:
    """Say something in a shared conversation; return the reply to write."""
    fields = {"message": text} | ({"conversation": str(where.pk)} if where else {})
    assert browser(name).post(reverse("say", args=[space.slug]), fields).status_code == 302
    Message.objects.in_space(space).filter(role="assistant").update(state="done", content="OK.")
    reply = Message.objects.in_space(space).filter(role="assistant").latest("position")
    reply.space = reply.conversation.space = space
    return reply


def learn_all(space: Space) -> None:
    for row in Assessment.objects.in_space(space).filter(state="queued"):
        Assessment.objects.filter(pk=row.pk).update(due_at=timezone.now())
        assess(space.pk, str(row.pk))


def told(reply: Message) -> list[str]:
    """The standing rules for a reply."""
    found = recall_for(reply.conversation, "Hello", said_by=reply.said_by)
    assert found is not None
    return [one.content for one in found.standing]


def test_a_wish_in_a_shared_conversation_is_its_speakers(space: Space) -> None:
    shared = say(space, "eve", WISH).conversation
    learn_all(space)

    [wish] = Memory.objects.in_space(space).live()
    assert (shared.user_id, wish.user_id) == (None, "eve")
    assert told(say(space, "eve", "Hello", shared)) == [wish.content]
    reply = say(space, "alice", "Hello", shared)
    assert told(reply) == []
    # Whoever asks again is the one who reads the answer.
    again = answer_again(space=space, conversation_id=shared.pk, now=timezone.now(), said_by="eve")
    assert told(again) == [wish.content]
    Message.objects.filter(pk=again.pk).update(state="done")
    said = Message.objects.in_space(space).filter(role="user").latest("position")
    edited = edit_message(
        space=space, message_id=said.pk, text="Hi", actor=ALICE, now=timezone.now(), said_by="alice"
    )
    assert (told(edited), edited.said_by) == ([], "alice")


def test_pages_say_who_speaks(space: Space) -> None:
    reply = say(space, "eve", "Hello")
    alice = browser("alice")
    alice.post(reverse("reply_again", args=[space.slug, reply.conversation_id]))
    again = Message.objects.in_space(space).latest("position")
    Message.objects.filter(pk=again.pk).update(state="done")
    said = Message.objects.in_space(space).get(role="user")
    alice.post(reverse("message", args=[space.slug, said.pk]), {"message": "Hi"})

    speakers = Message.objects.in_space(space).order_by("position").values_list("role", "said_by")
    assert list(speakers) == [
        ("user", "eve"), ("assistant", "eve"), ("assistant", "alice"),
        ("user", "alice"), ("assistant", "alice"),
    ]  # fmt: skip


def test_two_members_of_a_topic_are_two_spans(space: Space) -> None:
    set_policy(space, assessment={"trigger": "topic_change"})
    shared = say(space, "eve", "My sister Ana lives in Lisbon").conversation
    learn_all(space)
    say(space, "alice", "My sister Ana lives in Lisbon", shared)
    learn_all(space)

    rows = Assessment.objects.in_space(space)
    assert sorted(rows.values_list("said_by", "part_of")) == [("alice", None), ("eve", None)]


def test_a_wish_that_a_tool_saves_is_its_speakers(space: Space) -> None:
    conversation = say(space, "eve", "Hello").conversation
    conversation.space = space
    tools = Toolbox(conversation, WISH, PolicyDocument(), "m", timezone.now(), "eve")
    used = tools._answered(ToolCall("1", "remember", '{"content": "Keep answers short"}'))

    assert used.ok, used.text
    assert Memory.objects.in_space(space).get().user_id == "eve"
    assert told(say(space, "alice", "Hello", conversation)) == []


WRITES = {
    "memories": {"content": WISH, "memory_type": "preference"},
    "tools/remember": {"content": WISH},
    "assess": {"user_message": WISH, "store": True},
    "assessments": {"user_message": WISH},
}


@pytest.mark.parametrize("interface", WRITES)
@pytest.mark.parametrize("user", [None, "ana"])
def test_a_programs_wish_reaches_nobody_else(
    space: Space, key: MakeKey, interface: str, user: str | None
) -> None:
    headers = {"X-Ebb-User": user} if user else {}
    answer = ApiClient(key()).post(interface, WRITES[interface], headers=headers)
    assert answer.status_code < 300, answer.text
    learn_all(space)

    [wish] = Memory.objects.in_space(space).live()
    assert wish.user_id == user
    for name in ("alice", "eve"):
        assert told(say(space, name, "Hello")) == []
    for other in (None, "ben"):
        assert prompted(space, other) == []
    assert prompted(space, "ana") == ([wish.content] if user else [])


def prompted(space: Space, user: str | None) -> list[str]:
    """The standing rules for a call of a program."""
    conversation = ephemeral_conversation(space=space, user_id=user)
    found = recall_for(conversation, "Hello", said_by=user)
    assert found is not None
    return [one.content for one in found.standing]


def test_who_speaks_in_a_call(space: Space) -> None:
    member, program = Actor("user", "eve"), Actor("key", "eve")
    for actor, reader, person in (
        (member, EVERYONE, "eve"),
        (member, Reader(), "eve"),
        (member, Reader("ana"), "ana"),
        (program, Reader("ana"), "ana"),
        (program, Reader(), None),
    ):
        assert Access(space, actor, frozenset(), "", reader).person == person


def test_owners_set_how_to_answer_everyone(space: Space) -> None:
    wish = "Answer in Portuguese"

    def save(name: str, text: str) -> Answer:
        form = {"version": "1", **texts_of(PolicyDocument()), "recall.answering": text}
        return browser(name).post(reverse("policy_save", args=[space.slug]), form)

    assert save("eve", wish).status_code == 403
    for wrong in (wish * 30, f"{wish}\x00"):
        assert "Enter at most 500 characters." in save("alice", wrong).text
    assert current_policy(space).document.recall.answering == ""
    assert save("alice", f"{wish}\r\n\r\nUse metric units").status_code == 302

    rules = current_policy(space).document
    prompt = system_prompt([], timezone.now(), rules=rules)
    assert f"\n- {wish}\n- Use metric units\n" in prompt
    page = browser("alice").get(reverse("policy", args=[space.slug])).text
    assert f"{wish}\r\n\r\nUse metric units</textarea>" in page
