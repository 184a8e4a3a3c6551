"""Real processes for the tests of this folder, and programs that talk to them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from django.utils import timezone

from accounts.models import Embedder, Space
from foundation.actors import SYSTEM
from memory import embeddings
from memory.drafts import MemoryDraft
from memory.models import Memory
from tests.chat.live_scenes import ask, play
from tests.chat.talking import Talker
from tests.memory.writing import create_memory
from tests.processes import model_web, processes, queue, static_files, web

__all__ = ["ask", "model_web", "play", "processes", "queue", "static_files", "web"]


@pytest.fixture
def lisbon(space: Space) -> Memory:
    return create_memory(
        space=space,
        draft=MemoryDraft(content="User moved to Lisbon in March", memory_type="fact"),
        actor=SYSTEM,
        now=timezone.now(),
    )


@pytest.fixture
def talk() -> Iterator[Callable[[str, str], Talker]]:
    """Makes programs that call the API at an address with a key; they hang up with the test."""
    with ExitStack() as open_clients:

        def make(url: str, secret: str) -> Talker:
            talker = Talker(url, secret)
            open_clients.enter_context(talker.client)
            return talker

        yield make


@pytest.fixture
def remote_embedders(space: Space) -> Iterator[None]:
    """Closes the embedders that a test has made, so that no connection stays open."""
    yield
    for row in Embedder.objects.exclude(provider="local"):
        remote = embeddings.get_embedder(row.provider, row.model, row.dimensions)
        assert isinstance(remote, embeddings.RemoteEmbedder)
        remote.close()
    embeddings._remote.cache_clear()
