"""The JSON API of chat (docs/api.md), one module per resource."""

from ninja import Router

from chat.api import conversations, turns
from chat.connections import api as connections
from chat.connections import choices_api as model_choices

router = Router()
for part in (turns, conversations, connections, model_choices):
    router.add_router("", part.router)

__all__ = ["router"]
