"""The JSON API of the memory core (API.md), one file a noun."""

from ninja import Router

from memory.api import (
    history,
    memories,
    policy,
    recycle_bin,
    relevance,
    review,
    revisions,
    tools,
    xml,
)

router = Router()
for part in (memories, revisions, relevance, recycle_bin, review, history, policy, tools, xml):
    router.add_router("", part.router)

__all__ = ["router"]
