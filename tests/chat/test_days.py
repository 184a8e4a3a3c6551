"""Days and periods above messages and conversations, in the reader's time zone."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space
from chat.conversations.days import beginnings, period_name
from chat.models import Conversation, Message
from chat.replies.turns import begin_turn
from tests.pages import HTMX, client, shown

__all__ = ["client"]

NOON = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0)


def said(space: Space, text: str, at: datetime) -> Conversation:
    reply = begin_turn(space=space, text=text, now=at)
    Message.objects.filter(pk=reply.pk).update(state="done", content="Noted.")
    return reply.conversation


def periods(page: str) -> list[str]:
    """The periods in the list, each with the titles below it."""
    row = r'<li class="period"[^>]*>([^<]*)</li>|<a class="conversation"[^>]*>([^<]*)<'
    rows = re.findall(row, page)
    return [period or f"- {title}" for period, title in rows]


def test_conversations_are_grouped_and_a_next_page_continues(
    client: Client, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.conversations.views.PAGE_SIZE", 3)
    for days, text in ((0, "a"), (1, "b"), (3, "c"), (4, "d"), (400, "e")):
        said(space, text, NOON - timedelta(days=days))
    first = shown(client, space, "playground")
    assert periods(first) == ["Today", "- a", "Yesterday", "- b", "Last 7 days", "- c"]
    [more] = re.findall(r'hx-get="(/s/home/c/[^"]*cursor[^"]*)"', first)
    month = (NOON - timedelta(days=400)).strftime("%B %Y")
    following = client.get(more.replace("&amp;", "&"), headers=HTMX).content.decode()
    assert periods(following) == ["- d", month, "- e"]


def test_a_day_is_shown_above_its_first_message(client: Client, space: Space) -> None:
    talk = said(space, "first", NOON - timedelta(days=1))
    old = begin_turn(space=space, text="second", now=NOON, conversation=talk.pk)
    Message.objects.filter(pk=old.pk).update(state="done", content="Noted.")
    address = reverse("conversation", args=[space.slug, talk.pk])
    page = client.get(address).content.decode()
    assert re.findall(r'<p class="day">([^<]*)</p>', page) == ["Yesterday", "Today"]

    new = {"message": "third", "conversation": str(talk.pk)}
    answer = client.post(reverse("say", args=[space.slug]), new, headers=HTMX)
    assert 'class="day"' not in answer.content.decode()
    answer = client.post(reverse("say", args=[space.slug]), {"message": "new"}, headers=HTMX)
    assert answer.content.decode().count('class="day"') == 1


@pytest.mark.parametrize(
    ("zone", "time"),
    [("", "23:30"), ("Asia/Shanghai", "07:30"), ("No/Where", "23:30"), ("../etc/passwd", "23:30")],
)
def test_times_are_the_readers(client: Client, space: Space, zone: str, time: str) -> None:
    talk = said(space, "late", datetime(2026, 2, 18, 23, 30, tzinfo=UTC))
    client.cookies["ebb_time_zone"] = zone
    page = client.get(reverse("conversation", args=[space.slug, talk.pk])).content.decode()
    assert set(re.findall(r'<span class="when"><time[^>]*>([^<]*)</time>', page)) == {time}


def test_names_begin_where_they_change() -> None:
    rows = [Conversation(updated_at=NOON - timedelta(days=days)) for days in (0, 0, 1, 1)]
    names = beginnings(rows, lambda one: period_name(one.updated_at), before="Today")
    assert names == {rows[2].pk: "Yesterday"}
