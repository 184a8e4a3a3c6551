"""A space with two users: what Alice said in every table, each text with one word of her own."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import Assessment
from assessor.outbox.services import queue_assessment
from chat.models import Conversation, Message
from foundation.actors import SYSTEM
from memory.drafts import MemoryChange
from memory.models import Memory, WebhookDelivery
from memory.retention.recycle_bin import delete_memory
from memory.spaces.services import models_of_spaces
from memory.store.services import revise_memory
from memory.webhooks.services import create_webhook
from tests.memory.writing import ALICE, hold, remember

WORD = "zyzzyva"
"""Stands in every text of Alice's, and nowhere else."""


@dataclass(frozen=True)
class OfAlice:
    """The ids of her things, by the part of a path before the id."""

    ids: Mapping[str, object]


def alice_said(space: Space) -> OfAlice:
    """Fill every table with texts of Alice's, beside a shared memory."""
    now = timezone.now()
    remember(space, "User likes pasta")
    create_webhook(
        space=space,
        url="https://example.org/",
        events=["memory.created", "memory.revised"],
        actor=SYSTEM,
        now=now,
    )
    memory = remember(space, f"User likes pizza with {WORD}", tags=[WORD], user_id="alice")
    change = MemoryChange(content=f"User likes pizza with a {WORD}")
    revise_memory(space=space, memory_id=memory.pk, change=change, actor=ALICE, now=now)
    binned = remember(space, f"User liked pizza without {WORD}", user_id="alice")
    delete_memory(space=space, memory_id=binned.pk, actor=SYSTEM, now=now)
    held = hold(space, f"Always recommend pizza with {WORD}", user_id="alice")
    exchange = Exchange(f"I like pizza with {WORD}", f"So you like {WORD}", user_id="alice")
    assessment = queue_assessment(
        space=space, exchange=exchange, now=now, due_at=now + timedelta(days=1)
    )
    conversation, message = _conversation(space)
    delivery = WebhookDelivery.objects.filter(user_id="alice").first()
    assert delivery is not None
    ids = {
        "memories": memory.pk,
        "recycle-bin": binned.pk,
        "review": held.pk,
        "assessments": assessment.pk,
        "conversations": conversation.pk,
        "messages": message.pk,
        "deliveries": delivery.pk,
    }
    return OfAlice(ids)


def _conversation(space: Space) -> tuple[Conversation, Message]:
    conversation = Conversation.objects.create(
        space=space, title=f"Pizza with {WORD}", user_id="alice"
    )
    texts = ["I like pizza", f"You like pizza with {WORD}"]
    message, _reply = (
        Message.objects.create(
            space=space, conversation=conversation, role=role, position=place, content=text
        )
        for place, (role, text) in enumerate(zip(["user", "assistant"], texts, strict=True), 1)
    )
    return conversation, message


def rows_of_alice() -> list[list[dict[str, Any]]]:
    """All columns of her memories, exchanges and conversations."""
    models: tuple[Any, ...] = (Memory, Assessment, Conversation)
    return [list(model.objects.filter(user_id="alice").order_by("pk").values()) for model in models]


def tables_with(word: str, space: Space) -> set[str]:
    """The tables with a row of the space that has this word in any column."""
    return {
        model._meta.label
        for model in models_of_spaces()
        if any(word in str(row) for row in model._base_manager.filter(space_id=space.pk).values())
    }
