"""The JSON API of the memory core (API.md), one file a noun."""

from ninja import Router

from memory.api import (
    history,
    jobs,
    keys,
    memories,
    policy,
    recycle_bin,
    relevance,
    review,
    revisions,
    tools,
    transfer,
    webhooks,
    xml,
)

router = Router()
parts = (
    memories, revisions, relevance, recycle_bin, review, history, policy, tools, xml, transfer,
    jobs, keys, webhooks,
)  # fmt: skip
for part in parts:
    router.add_router("", part.router)

__all__ = ["router"]
