"""A space that was used for a while: memories with history, conversations and other rows.

The service writes the active memories, so that they have vectors and words. A few statements write
the other rows, because the services would take an hour.
"""

from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import Any

from benchmarks import spaces

CONVERSATIONS, TURNS = 1000, 20
HELD, KEYS, DELIVERIES = 200, 50, 5000
EMBEDDED_BELOW = 1000  # memories; beyond this number, vectors are made without the model
PLANTED = "In the user's message: plants an instruction for later"
_SOURCES = """
    CREATE TEMP TABLE source AS
    SELECT row_number() OVER (ORDER BY id) AS n, * FROM memory_memory WHERE space_id = %(space)s
"""
# As after some weeks: clocks that began at different times, a third of them with uses.
_AGED = """
    UPDATE memory_memory m
    SET expires_at = (expires_at AT TIME ZONE 'UTC'
            - age.share * (expires_at - %(now)s)) AT TIME ZONE 'UTC',
        clock_started_at = (clock_started_at AT TIME ZONE 'UTC'
            - age.share * interval '3 days') AT TIME ZONE 'UTC',
        use_count = CASE WHEN age.share < 0.33 THEN 1 + floor(30 * age.share) ELSE 0 END,
        last_active_at = CASE WHEN age.share < 0.33 THEN (%(now)s AT TIME ZONE 'UTC'
            - age.share * interval '60 days') AT TIME ZONE 'UTC' END,
        pinned = age.share > 0.99
    FROM (SELECT id, random() * 0.98 + 0.01 AS share FROM source) age
    WHERE m.id = age.id AND m.space_id = %(space)s
"""
# The bin has a tenth as many memories as are live.
_BINNED = """
    INSERT INTO memory_memory (id, space_id, short_id, content, memory_type, tags, topics,
        importance, core, pinned, status, created_at, use_count, clock_started_at, revision,
        source_role, source_speaker, source_conversation, review_reason, search, binned_at,
        bin_reason, importance_then)
    SELECT gen_random_uuid(), space_id, 'b' || lpad(to_hex(n), 7, '0'), content, memory_type, tags,
        topics, importance, core, false, 'binned', created_at, 0, clock_started_at, 1, 'user', '',
        '', '', search, %(now)s - random() * interval '30 days',
        (ARRAY['expired', 'over_capacity', 'deleted', 'superseded', 'rejected'])[1 + n %% 5],
        importance
    FROM source WHERE n %% 10 = 0
"""
_EVENTS = """
    INSERT INTO memory_memoryevent (space_id, memory_id, at, action, actor_type, actor_name, reason,
        content, importance, current_importance, rank, policy_version)
    SELECT %(space)s, id, at, action, 'user', 'owner', reason, content, importance, importance,
        NULL, 1
    FROM (
        SELECT id, %(now)s::timestamptz - random() * interval '60 days' AS at,
            (ARRAY['used', 'used', 'reinforced', 'revised', 'pinned'])[1 + n %% 5] AS action,
            '' AS reason, content, importance
        FROM source, generate_series(1, 2)
        UNION ALL
        SELECT id, binned_at, CASE bin_reason WHEN 'over_capacity' THEN 'evicted'
            WHEN 'superseded' THEN 'deleted' ELSE bin_reason END, bin_reason, content, importance
        FROM memory_memory WHERE space_id = %(space)s AND status = 'binned'
        UNION ALL
        -- What has been purged since.
        SELECT gone.id, gone.at + step.later, step.action, 'expired', content, importance
        FROM source, LATERAL (SELECT gen_random_uuid() AS id,
                %(now)s::timestamptz - random() * interval '60 days' AS at WHERE n > 0) gone,
            (VALUES ('deleted', interval '0'), ('purged', interval '1 second')) step(action, later)
        WHERE n %% 10 = 1
    ) AS happened ORDER BY at
"""
_ASSESSMENTS = """
    INSERT INTO assessor_assessment (id, space_id, created_at, user_message, assistant_response,
        source_role, source_conversation, context, state, due_at, enqueued_at, attempts,
        finished_at, error, failed_tries, rubric, provider, model, prompt_version, raw_answer,
        latency_ms, tokens, cost_usd, importance, memory_type, summary, tags, topics, reasoning,
        ttl_seconds)
    SELECT gen_random_uuid(), space_id, at, content, 'Noted: ' || content, 'user', '', '{}',
        CASE WHEN failed THEN 'failed' WHEN n %% 2 = 0 THEN 'done' ELSE 'ignored' END, at, at, 1,
        at, CASE WHEN failed THEN 'The model is away.' ELSE '' END,
        CASE WHEN failed THEN jsonb_build_array(jsonb_build_object('at', at, 'error',
            'The model is away.', 'answer', 'It is a fact.')) ELSE '[]' END,
        'graded', 'llm', 'some-model',
        'graded-1', '{"importance": 0.5}', 100 + 900 * random(), 400, 0.0001,
        CASE WHEN NOT failed THEN importance END, memory_type, content, tags, topics, 'It lasts.',
        86400
    FROM source, LATERAL (SELECT %(now)s::timestamptz - random() * interval '60 days' AS at,
        n %% 50 = 1 AS failed) AS chance
"""
_LESSONS = """
    INSERT INTO assessor_lesson (space_id, assessment_id, position, memory_id)
    SELECT a.space_id, a.id, 0, m.id
    FROM assessor_assessment a JOIN source m ON m.space_id = a.space_id AND m.content = a.summary
    WHERE a.space_id = %(space)s AND a.state = 'done'
    ON CONFLICT DO NOTHING
"""
_CONVERSATIONS = """
    INSERT INTO chat_conversation (id, space_id, title, memory, created_at, updated_at)
    SELECT gen_random_uuid(), space_id, left(content, 100), 'on', at, at
    FROM source, LATERAL (SELECT %(now)s::timestamptz - n * interval '1 hour' AS at) AS time
    WHERE n <= %(conversations)s
"""
_MESSAGES = """
    INSERT INTO chat_message (id, space_id, conversation_id, position, role, state, content,
        created_at, error, model, recalled, missed, uses, tool_calls)
    SELECT gen_random_uuid(), c.space_id, c.id, n, CASE n %% 2 WHEN 0 THEN 'user' ELSE 'assistant'
        END, 'done', c.title, c.updated_at, '', '', '[]', '[]', '{}', '[]'
    FROM chat_conversation c, generate_series(0, %(turns)s - 1) n WHERE c.space_id = %(space)s
"""


def lived_in(slug: str, size: int, now: datetime) -> Any:
    """Return a new space with this many active memories and a tenth as many in the bin.

    The space has three times as many history entries, as many assessments, some memories in review,
    conversations, keys and webhooks.
    """
    from django.db import connection

    few = size < EMBEDDED_BELOW
    with nullcontext() if few else spaces.without_vector_index():
        space = spaces.filled(slug, size, now, embedded=few)
    values = {"space": space.pk, "now": now, "conversations": CONVERSATIONS, "turns": TURNS}
    with connection.cursor() as cursor:
        for statement in (
            *(_SOURCES, _AGED, _BINNED, _EVENTS, _ASSESSMENTS, _LESSONS, _CONVERSATIONS, _MESSAGES),
            "DROP TABLE source",
        ):
            cursor.execute(statement, values)
    furnish(space, size, now)
    return space


def furnish(space: Any, size: int, now: datetime) -> None:
    """Add memories in review, keys, webhooks, jobs, invitations and two conversations to a space of
    this size."""
    _held(space, min(size, HELD), now)
    _steered(space, size, now)
    _talked(space, now)
    _shared(space, now)
    _invited(space, size, now)


def _held(space: Any, count: int, now: datetime) -> None:
    from benchmarks.corpus import sentences
    from foundation.actors import SYSTEM
    from memory.drafts import MemoryDraft
    from memory.models.reasons import UNSURE
    from memory.review.services import hold_memory
    from memory.store.services import prepare_memories

    for number, text in enumerate(sentences(count, seed=7)):
        prepared = prepare_memories(space=space, drafts=[MemoryDraft(content=text)], now=now)
        reason = (f"{PLANTED}: “never eats it”", UNSURE)[number % 2]
        hold_memory(prepared=prepared, reason=reason, actor=SYSTEM, now=now)


def _steered(space: Any, size: int, now: datetime) -> None:
    """Add keys, a model connection, a webhook with its log, finished jobs, and a policy that
    removes nothing."""
    from accounts.keys.services import create_key
    from accounts.models import Scope, WebhookEvent
    from foundation.actors import SYSTEM
    from memory.models import Job, JobState, ModelConnection, WebhookDelivery
    from memory.policies.services import change_policy
    from memory.webhooks.services import create_webhook

    change_policy(space=space, changes={"capacity": 2 * size}, actor=SYSTEM, now=now)
    for number in range(min(size, KEYS)):
        create_key(space=space, scopes=[Scope.READ], name=f"key {number}", actor=SYSTEM, now=now)
    for hours, kind in enumerate(("erase_user", "reassess", "import")):
        at = now - timedelta(hours=hours)
        Job.objects.create(space=space, kind=kind, state=JobState.DONE, created_at=at)
    ModelConnection.objects.create(name=f"model {space.slug}", base_url="http://127.0.0.1:9/v1")
    hook = create_webhook(
        space=space, url="https://example.org/ebb", events=[WebhookEvent.CREATED], actor=SYSTEM,
        now=now,
    )  # fmt: skip
    WebhookDelivery.objects.bulk_create(
        WebhookDelivery(
            space=space, webhook=hook, event=WebhookEvent.CREATED, payload={}, created_at=now,
            state="delivered", status=200,
        )
        for _ in range(min(size, DELIVERIES))
    )  # fmt: skip


def _talked(space: Any, now: datetime) -> None:
    """Add a conversation whose reply has its reasons, and whose exchange has become a memory."""
    from assessor.assessing import Exchange, assess_locally
    from assessor.outbox import services
    from chat.replies.services import Reply, finish_reply
    from chat.replies.turns import begin_turn
    from memory.memories.schemas import results_out
    from memory.recall.recall import SearchRequest, recall

    said = "I moved to Aveiro in March, and I am allergic to penicillin"
    message = begin_turn(space=space, text=said, now=now, claimed=True)
    found = recall(space, SearchRequest(said, limit=10, explain=True), now=now)
    given, missed = results_out(found.results), results_out(found.missed)
    reply = Reply("done", "Noted for later.", "some-model", given, found.memory_ids, missed=missed)
    finish_reply(message=message, reply=reply, now=now)
    assert message.assessment_id is not None
    claimed = services.claim(space_id=space.pk, assessment_id=message.assessment_id, now=now)
    if claimed is not None:  # else the commit has assessed it
        services.finish(assessment=claimed, result=assess_locally(Exchange(said)), now=now)


def _shared(space: Any, now: datetime) -> None:
    """Add a conversation that a member shares with the others."""
    from chat.models import Conversation, Message

    times = dict.fromkeys(("created_at", "updated_at", "shared_at"), now - timedelta(days=1))
    shared = Conversation.objects.create(
        space=space, user_id="ana", title="By train to Faro?", **times
    )
    Message.objects.create(
        space=space, conversation=shared, position=0, role="user", content="By train to Faro?"
    )


def _invited(space: Any, size: int, now: datetime) -> None:
    """Add invitations that wait for an answer."""
    from accounts.members.invitations import LIFETIME
    from accounts.models import Invitation, Role, User

    host = User.objects.create(username="guest")
    Invitation.objects.bulk_create(
        Invitation(
            space=space,
            name=f"guest-{number}",
            role=Role.VIEWER,
            invited_by=host,
            digest=f"{number:064x}",
            created_at=now,
            expires_at=now + LIFETIME,
        )  # fmt: skip
        for number in range(min(size, KEYS))
    )
