"""The page of a space's embedding model: who may look, who may move, and what it says."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User
from memory.embeddings.embedders import register_embedder
from memory.embeddings.switching import latest_switch
from memory.jobs import services as jobs
from memory.jobs.durations import how_long
from memory.jobs.running import work_at
from memory.models import JobState
from tests.conftest import Answer
from tests.memory.writing import NOW, remember
from tests.stub_model import StubModel

MODEL = {"provider": "openai", "model": "stub-64"}


@pytest.fixture
def page(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


@pytest.fixture
def known(remote_models: StubModel) -> StubModel:
    """The endpoint's model has its index: none can be made in a transaction that has written."""
    register_embedder(provider=MODEL["provider"], model=MODEL["model"])
    return remote_models


def post(client: Client, name: str, space: Space, **data: str) -> Answer:
    return client.post(reverse(name, args=[space.slug]), data, headers={"HX-Request": "true"})


def test_owner_tries_a_model_and_moves_to_it(page: Client, space: Space, known: StubModel) -> None:
    remember(space, "User likes pizza")

    tried = post(page, "embeddings_try", space, **MODEL).content.decode()
    assert "with 64 dimensions" in tried
    assert "Embedding 1 memory will take 1 second" in tried
    assert "are sent to this endpoint" in tried
    assert latest_switch(space) is None

    begun = post(page, "embeddings_begin", space, **MODEL).content.decode()
    assert "Moving to stub-64" in begun
    assert 'hx-trigger="every 1s"' in begun
    job = latest_switch(space)
    assert job is not None
    claimed = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=NOW)
    assert claimed is not None
    work_at(claimed)

    shown = page.get(reverse("embeddings", args=[space.slug])).content.decode()
    assert "<dd>stub-64</dd>" in shown
    assert "every 1s" not in shown
    same = post(page, "embeddings_try", space, **MODEL).content.decode()
    assert "The space already uses this model." in same


def test_move_is_cancelled_and_goes_on(page: Client, space: Space, known: StubModel) -> None:
    remember(space, "User likes pizza")
    post(page, "embeddings_begin", space, **MODEL)

    assert "The move was cancelled" in post(page, "embeddings_cancel", space).content.decode()
    none = post(page, "embeddings_cancel", space).content.decode()
    assert "No move to another embedding model is running" in none
    resumed = post(page, "embeddings_resume", space).content.decode()
    job = latest_switch(space)
    assert job is not None
    assert job.state == JobState.QUEUED
    assert "Waiting for a worker." in resumed
    again = post(page, "embeddings_resume", space).content.decode()
    assert "The job is still running. Cancel it before you resume it." in again


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"provider": "openai", "model": "stub-64"}, "refused the API key"),
        ({"provider": "local", "model": "other"}, "The built-in models are"),
        ({"provider": "word2vec", "model": "x"}, "Unknown embedding provider"),
    ],
)
def test_model_that_is_of_no_use_is_said(
    page: Client, space: Space, remote_models: StubModel, asked: dict[str, str], said: str
) -> None:
    for name in ("embeddings_try", "embeddings_begin"):
        remote_models.script_embeddings("401")
        assert said in post(page, name, space, **asked).content.decode()
    assert latest_switch(space) is None


def test_who_may_only_look_sees_no_form(client: Client, space: Space, bob: User) -> None:
    client.force_login(bob)

    shown = client.get(reverse("embeddings", args=[space.slug]))

    assert "all-MiniLM-L6-v2" in shown.content.decode()
    main, _, _ = shown.content.decode().partition("<main")[2].partition("</main>")
    assert "<form" not in main
    for name in ("try", "begin", "cancel", "resume"):
        assert post(client, f"embeddings_{name}", space, **MODEL).status_code == 403


def test_stranger_finds_nothing(client: Client, space: Space, charlie: User) -> None:
    client.force_login(charlie)

    assert client.get(reverse("embeddings", args=[space.slug])).status_code == 404
    for name in ("try", "begin", "cancel", "resume"):
        assert post(client, f"embeddings_{name}", space, **MODEL).status_code == 404


def test_search_says_that_its_model_is_away(
    page: Client, space: Space, remote_models: StubModel
) -> None:
    post(page, "embeddings_begin", space, **MODEL)
    job = latest_switch(space)
    assert job is not None
    claimed = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=NOW)
    assert claimed is not None
    work_at(claimed)
    remote_models.script_embeddings("401")

    answer = page.get(reverse("memories", args=[space.slug]), {"q": "pizza"})

    assert answer.status_code == 200
    assert "Search needs the embedding model:" in answer.content.decode()
    assert "No matches" not in answer.content.decode()


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (timedelta(seconds=-1), "0 seconds"),
        (timedelta(seconds=59.1), "1 minute"),
        (timedelta(minutes=12), "12 minutes"),
        (timedelta(minutes=90), "2 hours"),
        (timedelta(hours=47), "47 hours"),
        (timedelta(hours=48), "2 days"),
    ],
)
def test_length_of_time_in_words(left: timedelta, words: str) -> None:
    assert how_long(left) == words
