"""Assessments and the pages that show them, as a test asks for them."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse

from accounts.models import Space
from assessor.models import Assessment
from tests.conftest import Answer
from tests.pages import HTMX

LOCAL = {"provider": "local", "rubric": "graded"}
ASSESSED = {
    "importance": 0.72, "memory_type": "preference", "summary": "User prefers window seats",
    "tags": ["flights"], "topics": ["Travel"], "reasoning": "It lasts", "rubric": "facets",
    "prompt_version": "facets-1", "provider": "llm", "model": "gpt-4o-mini", "tokens": 448,
    "latency_ms": 812.3, "cost_usd": 0.0000937, "raw_answer": '{"P": 0.71}', "attempts": 1,
    "facets": {"P": 0.71, "I": 0.52, "J": 0.6, "E": 0.1, "valence": -0.4, "intensity": 0.3},
}  # fmt: skip


def assessed(
    space: Space, said: str = "I like it", state: str = "done", **values: Any
) -> Assessment:
    result = ASSESSED if state in {"done", "ignored"} else {}
    return Assessment.objects.create(space=space, user_message=said, state=state, **result | values)


def listed(client: Client, space: Space, *, htmx: bool = False, **query: str) -> str:
    url = reverse("assessments", args=[space.slug])
    answer = client.get(url, query, headers=HTMX if htmx else {})
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def texts(page: str) -> list[str]:
    """Return the texts of the entries, in order."""
    return re.findall(r'<p class="entry-text"[^>]*><a[^>]*>(.*?)</a>', page, re.S)


def address(row: Assessment, name: str = "assessment", space: Space | None = None) -> str:
    return reverse(name, args=[(space or row.space).slug, row.pk])


def opened(client: Client, row: Assessment, *, htmx: bool = False) -> str:
    answer = client.get(address(row), headers=HTMX if htmx else {})
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def words(page: str) -> str:
    """Return the text that a person reads, without the markup."""
    # A <bdi> is no border of words.
    return " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"</?bdi>", "", page)).split())


def press(client: Client, name: str, row: Assessment, **form: str) -> Answer:
    return client.post(address(row, name), form, headers=HTMX)
