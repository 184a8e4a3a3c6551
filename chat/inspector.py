"""The right side of the playground: what was recalled for a reply, and why."""

from typing import Any

from django.utils import timezone

from memory.models import Memory, Space
from memory.querysets.policies import current_policy
from memory.tides import show


def recalled_hits(space: Space, recalled: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each recalled memory as it is now, with the numbers that put it there then.

    One that has been purged since is left out.
    """
    rows = Memory.objects.in_space(space).in_bulk([hit["memory"]["id"] for hit in recalled])
    memories = {str(pk): memory for pk, memory in rows.items()}
    show(memories.values(), current_policy(space).document, timezone.now())
    return [
        {
            "memory": memories[hit["memory"]["id"]],
            "match": hit["match"],
            "score": hit["score"],
            "signals": {
                name: {"value": value, "contribution": hit["contributions"].get(name, 0.0)}
                for name, value in hit["signals"].items()
            },
        }
        for hit in recalled
        if hit["memory"]["id"] in memories
    ]
