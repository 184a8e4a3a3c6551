"""Celery tasks of the chat. Each may run twice."""

from celery import shared_task

from accounts.models import Space
from chat.connections.tool_ability import try_tools as try_tools_of
from chat.replies.leases import stop_abandoned
from foundation.database.connections import release_connection
from foundation.database.leases import database_now
from memory.model_connections.choosing import chosen_model
from memory.models import Purpose


@shared_task
def stop_abandoned_replies() -> None:
    """Stop the replies whose web process has died; scheduled by beat."""
    stop_abandoned(now=database_now())


@shared_task
def try_tools(space_id: int, name: str) -> None:
    """Find out whether this model of the space's chat endpoint calls tools."""
    space = Space.objects.filter(pk=space_id).first()
    chosen = chosen_model(Purpose.CHAT, space) if space else None
    if chosen:
        release_connection()
        try_tools_of(chosen.named(name).configuration)
