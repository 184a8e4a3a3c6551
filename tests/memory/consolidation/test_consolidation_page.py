"""Proposals in the review inbox: before and after, the decision, and its undo."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User
from memory.consolidation.consolidation_job import latest_consolidation
from memory.lab.saved_queries import save_query
from memory.models import ConsolidationProposal, Memory, MemoryEvent
from memory.retention.recycle_bin import delete_memory
from memory.tasks import work
from tests.conftest import Answer
from tests.memory.consolidation.runs import PENICILLIN, proposed, said
from tests.memory.writing import ALICE, NOW, set_policy

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def page(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def body(answer: Answer) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def listed(client: Client) -> str:
    return body(client.get(reverse("consolidation", args=["home"]), headers=HTMX))


def decided(client: Client, one: ConsolidationProposal, decision: str) -> str:
    url = f"{reverse('consolidation_decide', args=['home'])}?decision={decision}"
    return body(client.post(url, {"only": str(one.pk)}, headers=HTMX))


def test_the_inbox_loads_the_proposals_with_before_and_after(page: Client, space: Space) -> None:
    said(space, *PENICILLIN)
    proposed(space)

    inbox, shown = body(page.get(reverse("review", args=["home"]))), listed(page)

    assert f'hx-get="{reverse("consolidation", args=["home"])}"' in inbox
    assert shown.count("<del") == 2
    assert shown.count("<ins") == 1
    assert "confidence 0." in shown
    whole = body(page.get(reverse("consolidation", args=["home"])))
    assert "<h1>Consolidation</h1>" in whole


def effect(client: Client, one: ConsolidationProposal) -> str:
    url = reverse("consolidation_effect", args=["home"])
    return body(client.post(url, {"only": str(one.pk)}, headers=HTMX))


def test_the_effect_on_saved_questions_is_shown_and_changes_nothing(
    page: Client, space: Space
) -> None:
    memories = said(space, *PENICILLIN, "User smokes", "User quit smoking")
    merge = next(one for one in proposed(space) if one.kind == "merge")
    assert "Effect on saved questions" not in listed(page)
    for query in ("What is the user allergic to?", "Does the user smoke?"):
        save_query(space=space, query=query, now=NOW)
    set_policy(space, recall={"limit": 2})
    events = MemoryEvent.objects.in_space(space).count()
    assert "Effect on saved questions" in listed(page)

    shown = effect(page, merge)

    assert "What is the user allergic to?" in shown
    assert "was #1, no longer found" in shown
    assert '<span class="chip good">new</span>' in shown
    assert "Does the user smoke?" not in shown
    assert "1 saved question gives the same results." in shown
    # Nothing was changed.
    assert set(Memory.objects.in_space(space).live()) == set(memories)
    assert MemoryEvent.objects.in_space(space).count() == events
    merge.refresh_from_db()
    assert merge.state == "open"


def test_the_effect_of_an_outdated_proposal_is_not_known(page: Client, space: Space) -> None:
    first, _second = said(space, *PENICILLIN)
    [one] = proposed(space)
    save_query(space=space, query="What is the user allergic to?", now=NOW)
    delete_memory(space=space, memory_id=first.pk, actor=ALICE, now=NOW)

    assert "This proposal is outdated: its memories have changed." in effect(page, one)
    assert ConsolidationProposal.objects.in_space(space).open().count() == 1


def test_accepting_can_be_undone_from_the_toast(page: Client, space: Space) -> None:
    memories = said(space, *PENICILLIN)
    [one] = proposed(space)

    answer = decided(page, one, "accept")

    assert "1 proposal applied." in answer
    assert Memory.objects.in_space(space).live().count() == 1
    bin_page = body(page.get(reverse("bin", args=["home"])))
    assert bin_page.count("Consolidated into:") == 2
    [undo] = re.findall(r'hx-post="(/[^"]*/undo/[^"]+)"', answer)
    assert "HX-Refresh" in page.post(undo).headers
    assert set(Memory.objects.in_space(space).live()) == set(memories)


def test_a_memorys_page_leads_to_its_sources_and_back(page: Client, space: Space) -> None:
    first, second = said(space, *PENICILLIN)
    [one] = proposed(space)
    decided(page, one, "accept")
    merged = Memory.objects.in_space(space).live().get()

    def links(memory: Memory) -> str:
        return body(page.get(reverse("consolidation_links", args=["home", memory.pk])))

    assert reverse("consolidation_links", args=["home", merged.pk]) in body(
        page.get(reverse("memory", args=["home", merged.pk]))
    )
    shown = links(merged)
    assert "Made from:" in shown
    assert all(reverse("memory", args=["home", source.pk]) in shown for source in (first, second))
    assert "Consolidated into:" in links(first)
    assert reverse("memory", args=["home", merged.pk]) in links(second)


def test_a_rejected_proposal_leaves_the_list(page: Client, space: Space) -> None:
    said(space, *PENICILLIN)
    [one] = proposed(space)

    answer = decided(page, one, "reject")

    assert "1 proposal rejected." in answer
    assert "No proposals are waiting." in answer
    assert Memory.objects.in_space(space).live().count() == 2


def test_an_editor_starts_a_run_and_a_viewer_only_looks(
    page: Client, space: Space, bob: User
) -> None:
    said(space, *PENICILLIN)
    viewer = Client()
    viewer.force_login(bob)
    begin = reverse("consolidation_start", args=["home"])
    assert viewer.post(begin).status_code == 403
    assert "Look for proposals" not in listed(viewer)

    begun = body(page.post(begin, headers=HTMX))
    again = body(page.post(begin, headers=HTMX))

    assert "Waiting for a worker." in begun
    assert "Ebb is already looking" in again
    job = latest_consolidation(space)
    assert job is not None
    work(space.pk, str(job.pk))
    assert "<article" in listed(page)
    # The proposal is about shared memories, which a viewer sees, too.
    assert "decision=accept" not in listed(viewer)
