"""Long memories of an earlier version get the vectors of their groups of sentences."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from memory.embeddings.long_job import BATCH
from memory.models import FurtherEmbedding, Job, JobState, MemoryEmbedding, Space
from memory.recall.recall import SearchRequest, recall
from tests.memory.embeddings.moving import work
from tests.memory.recall.long_texts import ASKED, FACT, long_text
from tests.memory.writing import NOW, remember


@pytest.fixture
def earlier(space: Space) -> Space:
    """A space whose long memories have one vector each."""
    for number in range(BATCH + 1):
        remember(space, long_text(0, 3000 + number, ""))
    remember(space, long_text(2000, 4000))
    remember(space, "User likes pizza")
    FurtherEmbedding.objects.in_space(space).delete()
    MemoryEmbedding.objects.in_space(space).update(further=0)
    return space


def test_the_migration_starts_a_job_that_embeds_them(earlier: Space, other_space: Space) -> None:
    remember(other_space, "User likes pizza")
    import_module("memory.migrations.0056_embed_long_memories").start_jobs(
        apps, connection.schema_editor()
    )

    job = work(Job.objects.get())

    assert (job.space_id, job.state) == (earlier.pk, JobState.DONE)
    assert job.result == {"memories": BATCH + 2}
    found = recall(earlier, SearchRequest(ASKED), now=NOW).results[0]
    assert FACT in found.memory.content
    assert found.similarity > 0.3
    vectors = MemoryEmbedding.objects.in_space(earlier)
    counted = sum(vectors.values_list("further", flat=True))
    assert counted == FurtherEmbedding.objects.in_space(earlier).count() > 50
    assert vectors.get(memory__content="User likes pizza").further == 0
