"""A space with memories and a key, for the benchmarks that ask a web server."""

from typing import Any

from benchmarks import harness

MEMORIES = 800


def filled_space() -> tuple[Any, str]:
    """Return a space with memories, and a key to the space."""
    from django.utils import timezone

    from accounts.keys.services import create_key
    from accounts.models import Embedder, Scope
    from benchmarks.corpus import fill
    from foundation.actors import SYSTEM
    from memory.spaces.services import create_space

    now, scopes = timezone.now(), [Scope.READ, Scope.WRITE]
    space = create_space(slug="bench", name="Bench", embedder=Embedder.objects.get(), actor=SYSTEM)
    fill(space, MEMORIES, now=now, seed=1, embedded=True)
    harness.vacuum()
    return space, create_key(space=space, scopes=scopes, actor=SYSTEM, now=now)[1]
