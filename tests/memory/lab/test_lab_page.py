"""The ranking lab's page: an address is a comparison; marks, saved questions, adopting."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Space, User
from memory.embeddings.embedders import register_embedder
from memory.lab.saved_queries import save_query
from memory.models import Memory, PolicyVersion, RelevanceMark, SavedQuery
from memory.models.policies import current_policy
from memory.spaces.services import create_space
from tests.conftest import Answer
from tests.memory.recall.test_recall import fill
from tests.memory.writing import ALICE, NOW, learn, remember
from tests.pages import login
from tests.stub_model import StubModel

HTMX = {"HX-Request": "true"}
QUESTION = "what does the user eat?"


@pytest.fixture
def page(alice: User) -> Client:
    return login(alice)


def address(name: str, space: Space, *args: object, **asked: Any) -> str:
    return f"{reverse(name, args=[space.slug, *args])}?{urlencode(asked, doseq=True)}"


def body(answer: Answer) -> str:
    return " ".join(answer.content.decode().split())


def test_page_teaches_before_anything_is_asked(page: Client, space: Space) -> None:
    shown = body(page.get(address("lab", space)))

    assert "Compare rankings side by side" in shown
    assert 'value="hybrid" selected' in shown
    assert 'value="relevance" selected' in shown


def test_four_columns_in_few_queries(page: Client, space: Space) -> None:
    fill(space, 30)
    save_query(space=space, query=QUESTION, now=NOW)
    wanted = address(
        "lab", space, q=QUESTION, profile=["hybrid", "vivid", "own", "date"], semantic="0.5"
    )

    with CaptureQueriesContext(connection) as queries:
        shown = body(page.get(wanted))

    ranking = [one for one in queries if "ranked" in one["sql"]]
    assert len(ranking) == 4
    assert len(queries) - len(ranking) <= 12
    for said in ("ranked in", "custom weights", "by date, no score", "was #1"):
        assert said in shown
    assert 'name="semantic" min="0" max="3" step="0.05" value="0.5"' in shown
    assert "<html" not in body(page.get(wanted, headers=HTMX))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"profile": "best"}, "There is no profile “best”. Choose one of: hybrid,"),
        ({"profile": "<b>"}, "There is no profile “&lt;b&gt;”."),
        ({"profile": ["hybrid", "vivid", "typed", "date", "own"]}, "Compare at most 4 columns"),
        ({"profile": "own", "semantic": "nan"}, "meaning: enter a weight from 0 to 3."),
        ({"profile": "own", "recency": "-0.1"}, "recency: enter a weight from 0 to 3."),
        ({"profile": "own", "lexical": "inf"}, "keywords: enter a weight from 0 to 3."),
        ({"profile": "own", "speaker": ""}, "speaker: enter a weight from 0 to 3."),
        (
            {"profile": "own"}
            | dict.fromkeys(["semantic", "lexical", "speaker", "recency", "importance"], "0"),
            "At least one weight must be above 0.",
        ),
        ({"q": "x" * 501}, "The question is too long: use at most 500 characters."),
    ],
)
def test_what_does_not_fit_gets_its_sentence(
    page: Client, space: Space, asked: dict[str, Any], sentence: str
) -> None:
    remember(space, "User likes pizza")
    wanted = address("lab", space, **{"q": QUESTION} | asked)

    answer = page.get(wanted)

    assert answer.status_code == 422
    assert sentence in body(answer)
    assert "ranked in" not in body(answer)
    assert sentence in body(page.get(wanted, headers=HTMX))
    assert "Some input is invalid" in body(page.get(wanted.replace("/lab/", "/lab/figures/")))


def test_weights_that_no_column_uses_are_no_matter(page: Client, space: Space) -> None:
    remember(space, "User likes pizza")

    answer = page.get(address("lab", space, q="pizza", profile="hybrid", semantic="nan"))

    assert answer.status_code == 200
    assert "User likes pizza" in body(answer)


def _rankings(shown: str) -> str:
    """The table of profiles, before the questions."""
    return shown.partition("Results by question")[0]


def test_marks_are_made_counted_and_taken_back(page: Client, space: Space, alice: User) -> None:
    pizza = remember(space, "User likes pizza")
    state = {"q": QUESTION, "profile": ["hybrid", "date"]}
    figures = address("lab_figures", space, **state)
    assert "No question has a relevant memory yet" in body(page.get(figures))

    post = address("lab_mark", space, pizza.pk, **state)
    answer = page.post(post, {"relevant": "yes"}, headers=HTMX)

    made = RelevanceMark.objects.in_space(space).get()
    assert (made.query, made.relevant, made.made_by) == (QUESTION, True, alice)
    assert answer.headers["HX-Trigger"] == "marked"
    assert answer.headers["HX-Retarget"] == "#compared"
    assert "relevant · hybrid: rank 1 · date: rank 1" in body(answer)
    shown = body(page.get(figures))
    assert "1 labelled question, asked again with each profile" in shown
    assert _rankings(shown).count('<td class="number">1.00</td>') == 6
    assert _rankings(body(page.get(figures + "&all=1"))).count('<td class="number">') == 21

    page.post(post, {"relevant": "no"}, headers=HTMX)
    assert not RelevanceMark.objects.get().relevant
    page.post(post, {"relevant": ""}, headers=HTMX)
    assert not RelevanceMark.objects.exists()
    assert page.post(post, {"relevant": "perhaps"}, headers=HTMX).status_code == 400
    unknown = address("lab_mark", space, uuid4(), **state)
    assert page.post(unknown, {"relevant": "yes"}, headers=HTMX).status_code == 404
    nothing = address("lab_mark", space, pizza.pk)
    assert page.post(nothing, {"relevant": "yes"}, headers=HTMX).status_code == 400


def test_what_did_not_come_up_is_looked_up_and_marked(page: Client, space: Space) -> None:
    fill(space, 30)
    risotto = remember(space, "Clara made mushroom risotto")

    found = body(page.get(address("lab_find", space, q=QUESTION, find="mushroom risotto")))

    assert "Clara made mushroom risotto" in found
    assert reverse("lab_mark", args=["home", risotto.pk]) in found
    assert "what+does+the+user+eat" in found


def test_questions_are_kept_dropped_and_taken_back(page: Client, space: Space) -> None:
    page.post(address("lab_save", space, q=QUESTION), headers=HTMX)
    assert SavedQuery.objects.in_space(space).newest(2) == [QUESTION]
    assert f'name="query" value="{QUESTION}"' in body(page.get(reverse("policy", args=["home"])))

    answer = page.post(address("lab_drop", space, q="other"), {"query": QUESTION}, headers=HTMX)
    assert SavedQuery.objects.in_space(space).newest(2) == []
    assert "dropped=what+does" in body(answer)
    page.post(address("lab_save", space, q="other", dropped=QUESTION), headers=HTMX)
    assert SavedQuery.objects.in_space(space).newest(2) == [QUESTION]


def test_a_profile_is_adopted_with_a_version_and_taken_back(page: Client, space: Space) -> None:
    remember(space, "User likes pizza")
    state = {"q": QUESTION, "profile": ["hybrid", "typed"]}

    answer = page.post(address("lab_adopt", space, "typed", **state), headers=HTMX)

    policy = current_policy(space)
    assert (policy.version, policy.document.recall.profile) == (2, "typed")
    assert PolicyVersion.objects.get(version=2).actor_name == "alice"
    assert "This space now ranks with typed. Policy saved as version 2." in body(answer)
    undo = address("lab_adopt", space, "hybrid", **state)
    assert undo.replace("&", "&amp;") in body(answer)

    page.post(undo, headers=HTMX)
    assert (current_policy(space).version, current_policy(space).document.recall.profile) == (
        3, "hybrid",
    )  # fmt: skip
    again = body(page.post(undo, headers=HTMX))
    assert "No changes: this profile is already in use." in again
    assert page.post(address("lab_adopt", space, "own"), headers=HTMX).status_code == 400
    assert current_policy(space).version == 3


def test_a_question_is_embedded_once_however_often_weights_are_tried(
    page: Client, alice: User, remote_models: StubModel
) -> None:
    embedder = register_embedder(provider="openai", model="lab-64")
    space = create_space(slug="far", name="Far", embedder=embedder, actor=ALICE, owner=alice)
    remember(space, "User likes pizza")
    before = len(remote_models.embedding_requests)

    for weight in ("0.5", "1", "1.5"):
        tried = address("lab", space, q="pizza?", profile=["hybrid", "own"], semantic=weight)
        assert "User likes pizza" in body(page.get(tried, headers=HTMX))

    assert len(remote_models.embedding_requests) == before + 1
    remote_models.script_embeddings("401")
    refused = body(page.get(address("lab", space, q="another?"), headers=HTMX))
    assert "Search needs the embedding model:" in refused
    assert "refused the API key" in refused


def test_without_htmx_the_answer_leads_back_to_the_comparison(page: Client, space: Space) -> None:
    answer = page.post(address("lab_save", space, q="pizza", profile="date"))

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/s/home/lab/?q=pizza&profile=date"


def test_odd_content_is_harmless(page: Client, space: Space) -> None:
    for text in ("<script>alert(1)</script> pizza", "المستخدم يحب البيتزا pizza 🍕", "z" * 10_000):
        remember(space, text)
    asked = "<script>alert(2)</script> pizza"
    save_query(space=space, query=asked, now=NOW)

    shown = body(page.get(address("lab", space, q=asked, profile=["hybrid", "date"])))

    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "z" * 1000 not in shown


def test_who_may_only_look_compares_and_changes_nothing(
    client: Client, space: Space, bob: User
) -> None:
    client.force_login(bob)
    pizza = remember(space, "User likes pizza")

    shown = body(client.get(address("lab", space, q=QUESTION)))

    assert "User likes pizza" in shown
    for url in ("lab_adopt", "lab_mark", "lab_save"):
        assert f"/{url.removeprefix('lab_')}/" not in shown
    assert client.get(address("lab_figures", space, q=QUESTION)).status_code == 200
    posts: list[tuple[str, list[Any]]] = [
        ("lab_adopt", ["date"]),
        ("lab_mark", [pizza.pk]),
        ("lab_save", []),
        ("lab_drop", []),
    ]
    for name, args in posts:
        assert client.post(address(name, space, *args, q=QUESTION)).status_code == 403
    assert client.get(address("lab_find", space, q=QUESTION)).status_code == 403
    assert current_policy(space).version == 1


def test_stranger_finds_nothing(client: Client, space: Space, charlie: User) -> None:
    memory: Memory = remember(space, "User likes pizza")
    client.force_login(charlie)

    for name in ("lab", "lab_figures", "lab_find"):
        assert client.get(address(name, space, q="pizza")).status_code == 404
    posts: list[tuple[str, list[Any]]] = [
        ("lab_adopt", ["date"]),
        ("lab_mark", [memory.pk]),
        ("lab_save", []),
        ("lab_drop", []),
    ]
    for name, args in posts:
        assert client.post(address(name, space, *args, q="pizza")).status_code == 404


def test_a_day_is_answered_with_what_was_true_then(page: Client, space: Space) -> None:
    learn(space, "User lives in Lisbon", now=NOW)
    learn(space, "User moved from Lisbon to Porto", now=NOW + timedelta(days=10))
    question = "where does the user live?"

    then = body(page.get(address("lab", space, q=question, as_of="2026-02-20")))
    assert 'name="as_of" value="2026-02-20"' in then
    assert "User lives in Lisbon" in then
    assert "true until Feb. 28, 2026" in then
    assert "User moved from Lisbon to Porto" not in then

    now = body(page.get(address("lab", space, q=question)))
    assert "User moved from Lisbon to Porto" in now
    assert "User lives in Lisbon" not in now

    wrong = body(page.get(address("lab", space, q=question, as_of="soon")))
    assert "As of: enter a date such as 2026-03-31." in wrong
