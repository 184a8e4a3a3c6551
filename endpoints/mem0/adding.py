"""Learns from messages or saves them: for mem0's `add`.

Each message of the user is assessed with the replies that follow it, as one exchange. The caller
waits for the result. If the model gives none, the exchanges are queued, so that nothing is lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from asgiref.sync import sync_to_async
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.authentication import Access
from accounts.models import Space
from assessor.assessing import AssessmentResult, Exchange
from assessor.models import Assessment
from assessor.outbox import services
from assessor.saving.exchanges import earlier_texts
from assessor.saving.immediate import assess_now
from assessor.screening import assessed_part, gate_of, mask_exchange
from endpoints.mem0.schemas import AddIn, MessageIn
from foundation.database.connections import release_connection
from foundation.errors import FieldError, InvalidArguments
from memory.drafts import MAX_CONTENT, MemoryAsked, Source
from memory.model_connections.choosing import ChosenModel, chosen_model
from memory.models import Memory, Purpose
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.reconciliation.services import remember_drafts

_NEXT = timedelta(microseconds=1)
"""The time between two exchanges of one call, so that their order is known."""


@dataclass(frozen=True)
class Turns:
    """The exchanges of one call, in order, and when they were said, in the speaker's zone."""

    access: Access
    exchanges: Sequence[Exchange]
    said_at: datetime


def turns_of(asked: AddIn, access: Access) -> Turns:
    """Return the call's exchanges. Raises InvalidArguments if the user says nothing in it."""
    said = _said(asked.messages)
    if not said:
        raise InvalidArguments(
            FieldError("messages", "no user message to learn from; infer=false saves any message")
        )
    common = {**asked.names, "user_id": access.owner, "source_conversation": asked.run_id or ""}
    return Turns(
        access, [Exchange(text, reply, **common) for text, reply in said], _said_at(asked, access)
    )


def _said_at(asked: AddIn, access: Access) -> datetime:
    """Return the time of the messages. Raises InvalidArguments for one that is not plausible."""
    return access.said(asked.timestamp, now=timezone.now(), field="timestamp")


def _said(messages: Sequence[MessageIn]) -> list[tuple[str, str]]:
    """Return each message of the user with the replies that follow it. Other roles are left out.

    Raises InvalidArguments for replies that are too long together.
    """
    turns: list[tuple[str, str]] = []
    for message in messages:
        if message.role == "user" and message.text:
            turns.append((message.text, ""))
        elif message.role == "assistant" and message.text and turns:
            text, reply = turns[-1]
            turns[-1] = (text, f"{reply}\n{message.text}".strip())
    if any(len(reply) > MAX_CONTENT for _text, reply in turns):
        long = f"the replies to one message have more than {MAX_CONTENT} characters"
        raise InvalidArguments(FieldError("messages", long))
    return turns


@transaction.atomic
def queue_turns(turns: Turns) -> list[Assessment]:
    """Queue the exchanges for assessment, all or none."""
    now = timezone.now()
    return [
        services.queue_assessment(
            space=turns.access.space,
            exchange=exchange,
            now=now,
            said_at=turns.said_at + place * _NEXT,
            learns=turns.access.learns,
        )
        for place, exchange in enumerate(turns.exchanges)
    ]


async def learn_now(turns: Turns) -> list[Assessment]:
    """Assess the exchanges and store the results, all or none; return the stored assessments.

    Exchanges without a person's own words are left out. Raises AssessmentError, and has stored
    nothing then.
    """
    exchanges = [one for one in turns.exchanges if not gate_of(one)]
    if not (exchanges and turns.access.learns):
        return []
    prepared = await sync_to_async(_prepared)(turns, exchanges)
    results = [await _assess(prepared, place) for place in range(len(exchanges))]
    pairs = list(zip(prepared.exchanges, results, strict=True))
    return await sync_to_async(_store)(turns, pairs)


@dataclass(frozen=True)
class _Prepared:
    """Exchanges with their secrets masked, and what their assessment needs."""

    space: Space
    exchanges: Sequence[Exchange]
    policy: PolicyDocument
    chosen: ChosenModel | None
    earlier: list[str]

    def before(self, place: int) -> list[str]:
        """Return the texts of the conversation before this exchange."""
        here = [
            text
            for one in self.exchanges[:place]
            for text in (one.user_message, one.assistant_response)
            if text
        ]
        return [*self.earlier, *here]


def _prepared(turns: Turns, exchanges: Sequence[Exchange]) -> _Prepared:
    """Read what the assessment needs, and release the connection before a model is asked."""
    space = turns.access.space
    document = current_policy(space).document
    chosen = chosen_model(Purpose.ASSESS, space)
    earlier = earlier_texts(exchanges[0], space, before=turns.said_at)
    release_connection()
    if document.assessment.mask_secrets:
        exchanges = [mask_exchange(one) for one in exchanges]
    return _Prepared(space, exchanges, document, chosen, earlier)


async def _assess(prepared: _Prepared, place: int) -> AssessmentResult:
    part = await sync_to_async(assessed_part, thread_sensitive=False)(prepared.exchanges[place])
    earlier = prepared.before(place)
    return await assess_now(prepared.space, part, prepared.policy, prepared.chosen, earlier)


@transaction.atomic
def _store(turns: Turns, pairs: Sequence[tuple[Exchange, AssessmentResult]]) -> list[Assessment]:
    now = timezone.now()
    return [
        services.store_assessed(
            space=turns.access.space,
            exchange=exchange,
            result=result,
            now=now,
            said_at=turns.said_at + place * _NEXT,
        )
        for place, (exchange, result) in enumerate(pairs)
    ]


def save_messages(asked: AddIn, access: Access) -> list[tuple[Memory, bool]]:
    """Save each message as a memory, word for word; return the memories, and whether each is new.

    As with mem0, messages of the system are left out, and a text that the same user, agent, app and
    run already have is not saved again. Raises InvalidArguments if no message has a text.
    """
    roles: dict[str, str] = {}
    for one in asked.messages:
        if one.content and one.text and one.role != "system":
            roles.setdefault(one.content, one.role)
    if not roles:
        raise InvalidArguments(FieldError("messages", "no message to save, except of the system"))
    known = {row.content: row for row in _same(asked, access).filter(content__in=list(roles))}
    drafts = [
        MemoryAsked(
            content=text,
            user_id=access.owner,
            **asked.names,
            created_at=_said_at(asked, access),
            source=Source(role=role, conversation_id=asked.run_id),
        ).model_copy(update={"content": text})  # with the blanks around it
        for text, role in roles.items()
        if text not in known
    ]
    now = timezone.now()
    written = remember_drafts(space=access.space, drafts=drafts, actor=access.actor, now=now)
    new = {one.memory.content: one.memory for one in written}
    return [(known.get(text) or new[text], text in new) for text in roles]


def _same(asked: AddIn, access: Access) -> MemoryQuerySet:
    """Return the live memories of the same user, agent, app and run, oldest first."""
    names = {"user_id": access.owner, "agent_id": asked.agent_id, "session_id": asked.run_id}
    rows: MemoryQuerySet = Memory.objects.in_space(access.space).live().filter(**names)
    app = Q(metadata__app_id=asked.app_id) if asked.app_id else ~Q(metadata__has_key="app_id")
    return rows.filter(app).order_by("-created_at", "-pk")
