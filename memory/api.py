"""The JSON API of the memory core: the routers of all features."""

from ninja import Router

import accounts.api
import memory.consolidation.api
import memory.jobs.api
import memory.lab.api
import memory.memories.api
import memory.model_connections.api
import memory.policies.api
import memory.retention.api
import memory.review.api
import memory.spaces.api
import memory.store.history_api
import memory.store.revisions_api
import memory.tools.api
import memory.transfer.api
import memory.users.api
import memory.webhooks.api
import memory.xml.api

router = Router()
# The API document lists the calls in this order.
for part in (
    memory.memories.api,
    memory.store.revisions_api,
    memory.lab.api,
    memory.retention.api,
    memory.review.api,
    memory.consolidation.api,
    memory.store.history_api,
    memory.policies.api,
    memory.tools.api,
    memory.xml.api,
    memory.transfer.api,
    memory.users.api,
    memory.jobs.api,
    accounts.api,
    memory.webhooks.api,
    memory.model_connections.api,
    memory.spaces.api,
):
    router.add_router("", part.router)
