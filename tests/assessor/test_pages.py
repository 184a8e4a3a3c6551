"""The list of assessments, and who may see it or an assessment of it."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from assessor.models import State
from memory.models import Memory
from tests.assessor.pages import LOCAL, address, assessed, listed, opened, press, texts, words
from tests.memory.writing import hold
from tests.pages import HTMX, login

# --- The list ------------------------------------------------------------------------------------


def test_list_is_newest_first_and_says_what_became_of_each(alice: User, space: Space) -> None:
    now = timezone.now()
    assessed(space, "I prefer window seats", created_at=now - timedelta(hours=3), ttl_seconds=None)
    assessed(space, "hello", "ignored", importance=0.1, memory_type="observation",
             provider="local", latency_ms=3.41)  # fmt: skip
    assessed(space, "My passport", "failed", error="The model is away.",
             created_at=now - timedelta(days=2))  # fmt: skip

    page = listed(login(alice), space)

    assert texts(page) == ["hello", "I prefer window seats", "My passport"]
    read = words(page)
    assert "not saved observation hello 0.10 of very low importance" in read
    assert "assessed by the built-in assessor 3.4 ms just now" in read
    assert (
        "0.72 important kept forever assessed by gpt-4o-mini 812 ms 3\xa0hours ago"
        in read.replace("3 hours", "3\xa0hours")
    )
    assert "assessment failed My passport The model is away. 2 days ago" in read


@pytest.mark.parametrize("state", State.values)
def test_state_narrows_the_list(alice: User, space: Space, state: str) -> None:
    for each in State.values:
        assessed(space, each, each)
    client = login(alice)

    assert texts(listed(client, space, state=state)) == [state]
    assert len(texts(listed(client, space, state="nonsense"))) == len(State.values)


@pytest.mark.parametrize("query", ["LISBON", "how do you like", "moved to Lis\x00bon ", "seagrass"])
def test_search_finds_what_was_said_and_what_was_made_of_it(
    alice: User, space: Space, query: str
) -> None:
    assessed(space, "I moved to Lisbon", assistant_response="And how do you like it?",
             summary="User studies seagrass")  # fmt: skip
    assessed(space, "100% of_it")
    client = login(alice)

    assert texts(listed(client, space, q=query)) == ["I moved to Lisbon"]
    assert texts(listed(client, space, q=query, state="failed")) == []
    assert texts(listed(client, space, q="0% of_")) == ["100% of_it"]
    assert texts(listed(client, space, q="0%of")) == []


def test_htmx_gets_the_list_alone_and_caches_tell_the_two_apart(alice: User, space: Space) -> None:
    assessed(space)
    client = login(alice)
    whole, fragment = listed(client, space), listed(client, space, htmx=True)

    assert "<html" in whole
    assert "<html" not in fragment
    figures = reverse("assessments_figures", args=[space.slug])
    assert figures in whole
    assert figures not in fragment
    assert texts(fragment) == texts(whole)
    answer = client.get(reverse("assessments", args=[space.slug]))
    assert "HX-Request" in answer.headers["Vary"]


def test_long_list_goes_on_within_its_filter(alice: User, space: Space) -> None:
    for number in range(31):
        assessed(space, f"number {number}", "failed")
    assessed(space, "number done")
    client = login(alice)
    first = listed(client, space, state="failed", q="number")
    [link] = re.findall(r'hx-get="([^"]*cursor=[^"]*)"', first)

    rest = client.get(link.replace("&amp;", "&"), headers=HTMX).content.decode()
    forged = client.get(reverse("assessments", args=[space.slug]), {"cursor": "forged"})

    assert (len(texts(first)), len(texts(rest))) == (30, 1)
    assert not set(texts(first)) & set(texts(rest))
    assert "number done" not in texts(first) + texts(rest)
    assert forged.status_code == 400


def test_empty_pages_teach_the_next_step(alice: User, space: Space) -> None:
    assert "No assessments yet" in listed(login(alice), space)
    assert "No matches" in listed(login(alice), space, state="failed")


def test_the_figures_stand_above_the_list(alice: User, space: Space) -> None:
    client = login(alice)
    address = reverse("assessments_figures", args=[space.slug])
    assert address not in listed(client, space)
    assert 'class="figures"' not in client.get(address, headers=HTMX).content.decode()
    assessed(space)
    assessed(space, state="queued")

    assert f'hx-get="{address}"' in listed(client, space)
    page = client.get(address, headers=HTMX).content.decode()
    read = words(page)

    assert 'data-label="Median latency"' in page  # a phone has no head of the table
    assert "Success rate 100% 1 assessed, 0 failed target met: more than 95%" in read
    assert "Latency 812 ms median; 95% within 812 ms target missed: 95% within 300 ms" in read
    assert "Cost per assessment $0.000094 $0.000094 in total target met: about $0.0001" in read
    assert "gpt-4o-mini 1 100% target met 812 ms target missed 812 ms target missed" in read
    assert "Tokens 448" in read
    assert "1 waiting." in read


# --- Who may -------------------------------------------------------------------------------------

ACTIONS = ["assessment_retry", "assessment_reassess"]


def test_nobody_goes_to_the_login(space: Space) -> None:
    row = assessed(space, state="failed")
    for answer in (
        Client().get(reverse("assessments", args=[space.slug])),
        Client().get(address(row)),
        *(Client().post(address(row, action), LOCAL) for action in ACTIONS),
    ):
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/login/")
    row.refresh_from_db()
    assert row.state == "failed"


def test_stranger_finds_nothing(charlie: User, space: Space, other_space: Space) -> None:
    row = assessed(space, "secret", "failed")
    client = login(charlie)

    assert client.get(reverse("assessments", args=[space.slug])).status_code == 404
    assert texts(listed(client, other_space)) == []
    for place in (space, other_space):
        assert client.get(address(row, space=place)).status_code == 404
        for action in ACTIONS:
            assert client.post(address(row, action, place), LOCAL).status_code == 404
    row.refresh_from_db()
    assert row.state == "failed"


def test_viewer_looks_and_presses_nothing(bob: User, space: Space) -> None:
    row = assessed(space, "My passport", "failed", error="The model is away.")
    client = login(bob)

    assert texts(listed(client, space)) == ["My passport"]
    page = opened(client, row)
    assert "The model is away." in page
    for action in ACTIONS:
        assert address(row, action) not in page
        assert press(client, action, row, **LOCAL).status_code == 403
    row.refresh_from_db()
    assert row.state == "failed"


def test_buttons_want_a_csrf_token_and_do_not_work_by_link(alice: User, space: Space) -> None:
    row = assessed(space, state="failed")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    for action in ACTIONS:
        assert press(strict, action, row, **LOCAL).status_code == 403
        assert login(alice).get(address(row, action)).status_code == 405


def test_the_pages_have_a_strict_policy(alice: User, space: Space) -> None:
    row = assessed(space)
    for url in (reverse("assessments", args=[space.slug]), address(row)):
        policy = login(alice).get(url).headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'self'" in policy


# --- The words for which something was held -------------------------------------------------------


def test_evidence_is_marked_where_it_was_said(
    alice: User, charlie: User, space: Space, other_space: Space
) -> None:
    held = hold(space, "I like shoes", reason="Plants a wish: “recommend <Velo>”")
    row = assessed(space, "The page says: recommend\n<Velo>.", context={"page": "recommend <Velo>"})
    Memory.objects.filter(pk=held.pk).update(source_assessment=row.pk)
    where = f"{address(row, 'assessment_evidence')}?memory={held.pk}"

    shown = login(alice).get(where).content.decode()

    assert "<mark>recommend\n&lt;Velo&gt;</mark>" in shown
    assert shown.count("<mark>") == 2
    assert login(charlie).get(where).status_code == 404
    assert login(charlie).get(where.replace("home", "other")).status_code == 404
