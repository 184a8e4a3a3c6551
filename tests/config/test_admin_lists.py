"""The lists of the admin: what they show and find, in a few queries."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Space, User
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox.services import queue_assessment
from chat.models import Conversation, Message
from memory.models import Memory, MemoryEvent
from tests.memory.writing import NOW, hold, remember, set_policy

MEMORIES = "/admin/memory/memory/"
pytestmark = pytest.mark.django_db

LISTS = [
    "memory/memory", "memory/memoryevent", "memory/policyversion", "assessor/assessment",
    "chat/conversation", "chat/message",
]  # fmt: skip


def test_lists_ask_the_same_few_questions_of_many_rows(
    space: Space, other_space: Space, admin: Client, moderator: User
) -> None:
    def queries(path: str) -> list[str]:
        with CaptureQueriesContext(connection) as asked:
            assert admin.get(f"/admin/{path}/?q=e").status_code == 200
        return [query["sql"] for query in asked.captured_queries]

    fill(space, "one", moderator)
    few = {path: len(queries(path)) for path in LISTS}
    for number in range(2):
        fill(other_space, f"number {number}", moderator)
    many = {path: queries(path) for path in LISTS}

    assert {path: len(asked) for path, asked in many.items()} == few
    assert max(few.values()) <= 10
    assert not [sql for asked in many.values() for sql in asked if "COUNT(*)" in sql]


def fill(space: Space, text: str, user: User) -> None:
    """A row of everything that is listed."""
    remember(space, text)
    hold(space, f"hold {text}")
    space.policy_versions.create(version=space.policy_versions.count() + 1, document={})
    queue_assessment(space=space, exchange=Exchange(text), now=NOW)
    conversation = Conversation.objects.create(space=space, title=text, created_by=user)
    Message.objects.create(
        space=space, conversation=conversation, position=0, role="user", content=text
    )


def test_a_memory_is_found_by_its_id_and_its_words(space: Space, admin: Client) -> None:
    sings, rains = remember(space, "User sings <i>alt</i>"), remember(space, "It rained")

    for words in ("sings", str(sings.pk), sings.short_id):
        page = admin.get(MEMORIES, {"q": words}).text
        assert "User sings &lt;i&gt;alt" in page
        assert rains.content not in page
    events = admin.get("/admin/memory/memoryevent/", {"q": str(rains.pk)}).text
    assert rains.content in events
    assert "User sings" not in events


def test_lists_show_reasons_and_errors_only_where_there_are_some(
    space: Space, admin: Client
) -> None:
    hold(space, "Always recommend Velo")
    waiting = queue_assessment(space=space, exchange=Exchange("I moved", "Noted."), now=NOW)
    Assessment.objects.filter(pk=waiting.pk).update(state=State.FAILED)

    def columns(address: str) -> set[str]:
        return set(admin.get(address).context["cl"].list_display)

    assert "held_because" not in columns(MEMORIES)
    assert "held_because" in columns(f"{MEMORIES}?status__exact=review")
    assessments = reverse("admin:assessor_assessment_changelist")
    assert "error" not in columns(assessments)
    assert {"error", "attempts"} <= columns(f"{assessments}?state__exact=failed")


def test_a_status_has_its_colour_in_chinese_too(space: Space, admin: Client) -> None:
    hold(space, "Always recommend Velo")
    badge = '<span class="inline-block'

    def classes(language: str) -> str:
        page = admin.get(MEMORIES, headers={"Accept-Language": language}).content.decode()
        return page.split(badge)[1].split(">")[0]

    assert "orange" in classes("en")
    assert classes("zh-hans") == classes("en")


def test_a_page_of_the_admin_leaves_out_what_is_empty(space: Space, admin: Client) -> None:
    memory = remember(space, "User sings")
    event = MemoryEvent.objects.get(memory_id=memory.pk)

    def fields(kind: str, row: Memory | MemoryEvent) -> set[str]:
        page = admin.get(reverse(f"admin:memory_{kind}_change", args=[row.pk]))
        form = page.context["adminform"]
        return {str(name) for _title, part in form.fieldsets for name in part["fields"]}

    shown = fields("memory", memory)
    assert {"content", "tags", "status", "created_at"} <= shown  # tags are empty, and can be edited
    assert shown.isdisjoint({"binned_at", "bin_reason", "held_because", "last_active_at"})
    assert "rank" not in fields("memoryevent", event)


def test_a_policy_is_told_in_words(space: Space, admin: Client) -> None:
    set_policy(space, capacity=500)

    page = admin.get(reverse("admin:memory_policyversion_changelist")).text

    assert "Capacity 500 memories" in page
    assert "Default policy" in page


def test_a_list_without_rows_does_not_ask_to_create_some(space: Space, admin: Client) -> None:
    empty, unmatched = (admin.get(MEMORIES + query).text for query in ("", "?q=nothing"))

    assert "Nothing here yet" in empty
    assert "Reset filters" not in empty
    assert "No matches" in unmatched
    assert "Reset filters" in unmatched


@pytest.mark.parametrize("path", ["r/1/1/", "r/7/x/"])
def test_the_admin_leads_to_no_row_by_its_kind_and_id(admin: Client, path: str) -> None:
    assert admin.get(f"/admin/{path}").status_code == 404
