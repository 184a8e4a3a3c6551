"""A space's move to another embedding model outlives the worker that was at it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Space
from memory.drafts import MemoryDraft
from memory.embeddings.embedders import register_embedder
from memory.embeddings.switching import BATCH, start_switch
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import JobState, MemoryEmbedding
from memory.store.services import create_memories
from tests.memory.conftest import remote_models
from tests.memory.writing import ALICE, NOW
from tests.processes import Processes, wait_until
from tests.stub_model import StubModel

__all__ = ["remote_models"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def test_next_worker_goes_on_where_a_killed_one_stood(
    processes: Processes, space: Space, remote_models: StubModel
) -> None:
    target = register_embedder(provider="openai", model="stub-64")
    drafts = [MemoryDraft(content=f"User counted to {number}") for number in range(3 * BATCH)]
    create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)
    endpoint = {
        "EBB_EMBEDDING_BASE_URL": remote_models.base_url,
        "EBB_EMBEDDING_API_KEY": "secret",
    }
    remote_models.script_embeddings("ok", "timeout")
    first = processes.worker(**endpoint)

    job = start_switch(space=space, embedder=target, actor=ALICE, now=timezone.now())

    # One batch is in, and the endpoint is silent about the next one.
    asked = len(remote_models.embedding_requests)
    wait_until(lambda: len(remote_models.embedding_requests) == asked + 2, what="the second batch")
    first.kill()
    job.refresh_from_db()
    assert (job.state, job.done) == (JobState.RUNNING, BATCH)

    next_worker = jobs.claim_job(
        space_id=space.pk, job_id=job.pk, now=timezone.now() + timedelta(minutes=1)
    )
    assert next_worker is not None
    work_at(next_worker)

    job.refresh_from_db()
    assert job.state == JobState.DONE
    space.refresh_from_db()
    assert (space.embedder, space.next_embedder) == (target, None)
    assert MemoryEmbedding.objects.in_space(space).made_by(target).count() == 3 * BATCH
    texts = [t for r in remote_models.embedding_requests[asked:] for t in r.body["input"]]
    assert len(texts) == 4 * BATCH, "one batch was asked for twice, and no other"
