"""A space that moves to another embedding model, for the tests of it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Embedder, Space
from memory.drafts import MemoryDraft
from memory.embeddings.embedders import register_embedder
from memory.embeddings.switching import BATCH, start_switch
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, Memory, MemoryEmbedding
from memory.recall.recall import SearchRequest, recall
from memory.store.services import create_memories
from tests.memory.writing import ALICE, NOW
from tests.stub_model import StubModel

TOPICS = ["pizza with olives", "the Q4 budget", "hiking in the Alps", "a red bicycle", "里斯本的猫"]
QUESTIONS = ["What about the Alps?", "pizza or a bicycle", "里斯本"]
COUNT = BATCH + 8


@pytest.fixture
def target(remote_models: StubModel) -> Embedder:
    return register_embedder(provider="voyage", model="stub-64")


def fill(space: Space) -> None:
    drafts = [
        MemoryDraft(
            content=f"User talked of {TOPICS[number % len(TOPICS)]}, time {number}",
            importance=number / COUNT,
            created_at=NOW - timedelta(days=number),
        )
        for number in range(COUNT)
    ]
    create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)


def found(space: Space) -> list[list[tuple[str, float]]]:
    """Return the results of each question with their scores, in a space as it is now."""
    space = Space.objects.select_related("embedder").get(pk=space.pk)
    answers = [recall(space, SearchRequest(query, limit=20), now=NOW) for query in QUESTIONS]
    return [[(hit.memory.content, round(hit.score, 6)) for hit in one.results] for one in answers]


def begin(space: Space, target: Embedder) -> Job:
    return start_switch(space=space, embedder=target, actor=ALICE, now=timezone.now())


def work(job: Job) -> Job:
    """Run the job as a worker; return it as it is afterwards."""
    claimed = jobs.claim_job(space_id=job.space_id, job_id=job.pk, now=timezone.now())
    assert claimed is not None
    work_at(claimed)
    job.refresh_from_db()
    return job


def models_of(memory: Memory) -> set[str]:
    rows = MemoryEmbedding.objects.filter(space_id=memory.space_id, memory=memory)
    return {str(row.embedder) for row in rows.select_related("embedder")}


def vectors_by(space: Space, embedder: Embedder) -> int:
    return MemoryEmbedding.objects.in_space(space).made_by(embedder).count()


BOTH = {"local/all-MiniLM-L6-v2", "voyage/stub-64"}
