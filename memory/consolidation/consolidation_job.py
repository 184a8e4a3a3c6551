"""The job that looks for memories to consolidate, in steps that another worker can continue.

First it compares each memory with its neighbours, oldest first, to find several wordings of one
fact, and facts that newer statements made outdated. Then it summarises small observations of the
same conversation. In a space with the mode `automatic`, a nightly run ends by applying the
proposals it is sure of.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, Func, IntegerField, Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from foundation.actors import SYSTEM, Actor
from foundation.errors import Conflict
from foundation.readers import EVERYONE, Reader
from memory.consolidation import proposing, summaries, summarizing
from memory.consolidation.grouping import Group, Sentence, consolidatable, group_of
from memory.consolidation.services import apply_proposals
from memory.jobs import services as jobs
from memory.jobs.kinds import Labels
from memory.models import ConsolidationProposal, Job, Memory, ProposalKind
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.text.how_to_answer import says_how_to_answer

KIND = "consolidate"
COUNTS = ("merge", "contradiction", "summarise", "applied")
LABELS = Labels(
    _("Consolidation"),
    {
        "merge": _("same facts"),
        "contradiction": _("contradictions"),
        "summarise": _("summaries"),
        "applied": _("applied"),
    },
    refreshes_page=True,
)
BATCH = 20  # memories compared in one step
APPLIED_AT_ONCE = 20  # proposals


def start_consolidation(
    *, space: Space, reader: Reader, actor: Actor, now: datetime, applies: bool = False
) -> Job:
    """Start looking for proposals among this reader's memories. With `applies` the job applies
    those that the policy is sure enough of. Raises Conflict while this reader's last one runs."""
    given = {"user_id": reader.user_id, "everyone": reader.everyone, "applies": applies}
    total = consolidatable(space, reader).count()
    return jobs.start_job(
        space=space, kind=KIND, parameters=given, actor=actor, now=now, total=total,
        user_id=reader.user_id,
    )  # fmt: skip


def start_nightly(*, now: datetime) -> None:
    """Start a job in each open space whose policy asks for it; beat calls this."""
    for space in Space.objects.open().order_by("pk"):
        mode = current_policy(space).document.consolidation.mode
        if mode == "off":
            continue
        with suppress(Conflict):
            start_consolidation(
                space=space, reader=EVERYONE, actor=SYSTEM, now=now, applies=mode == "automatic"
            )


def latest_consolidation(space: Space) -> Job | None:
    """Return the space's newest job of this kind."""
    return Job.objects.in_space(space).latest_of(KIND)


def consolidate(job: Job) -> Mapping[str, Any]:
    """Make the proposals as the job's work; return the number of each kind. Raises JobStopped, or
    EmbeddingError while applying."""
    if not job.result:
        _begin(job)
    while job.result["phase"] == "compare":
        _compare_some(job)
    while job.result["phase"] == "summarise":
        _summarise_some(job)
    if job.parameters["applies"]:
        while _apply_some(job):
            pass
    kept = {name: job.result[name] for name in COUNTS}
    return kept | {"action_id": job.result["action_id"] if kept["applied"] else None}


@transaction.atomic
def _begin(job: Job) -> None:
    """Discard the open proposals of earlier jobs."""
    proposing.discard_open(space=job.space, reader=proposing.scope_of(job))
    counts = dict.fromkeys(COUNTS, 0)
    # The action's id is stored before its first use, so that all steps that apply are one action.
    state = {"phase": "compare", "place": None, "model_calls": 0, "action_id": str(uuid4())}
    _advance(job, {**counts, **state})


@transaction.atomic
def _compare_some(job: Job) -> None:
    """Propose what belongs to the next memories, or begin with the summaries."""
    roots = list(_roots(job)[:BATCH])
    if not roots:
        _advance(job, {"phase": "summarise", "place": None})
        return
    used, counts = _used(job), {name: job.result[name] for name in COUNTS}
    for root in roots:
        group = None if root.pk in used else group_of(job.space, root, used)
        if group and proposing.propose(job=job, group=group, now=timezone.now()):
            used |= group.removed
            counts[str(group.kind)] += 1
    place = [roots[-1].created_at.isoformat(), str(roots[-1].pk)]
    _advance(job, {**counts, "place": place}, done=job.done + len(roots))


def _summarise_some(job: Job) -> None:
    """Propose summaries of the next episode, or end the phase."""
    found = list(_small_memories(job)[: summaries.MOST])
    if not found:
        _advance(job, {"phase": "done"})
        return
    episode = summaries.first_episode(found)
    last = episode[-1]
    place = [
        last.created_at.isoformat(),
        last.source_position,
        str(last.pk),
        last.source_conversation,
        last.user_id or "",
    ]
    groups, calls = _summaries(job, episode)
    with transaction.atomic():
        now = timezone.now()
        made = [proposing.propose(job=job, group=group, now=now) for group in groups]
        count = job.result["summarise"] + len([one for one in made if one])
        state = {"place": place, "model_calls": job.result["model_calls"] + calls}
        _advance(job, {**state, "summarise": count})


def _summaries(job: Job, episode: Sequence[Memory]) -> tuple[list[Group], int]:
    """Return the summaries of an episode, one by a model or several without, and the number of
    model calls. Memories that say how to answer are left out, because recall finds them less often
    inside a summary.
    """
    episode = [one for one in episode if not says_how_to_answer(one.content)]
    budget = current_policy(job.space).document.consolidation.model_calls
    calls = int(len(episode) >= summaries.LEAST and job.result["model_calls"] < budget)
    written = summarizing.by_model(job.space, episode) if calls else None
    if written:
        return [_summary(episode, written, summaries.BY_MODEL)], calls
    parts = ((part, summaries.summarise(part)) for part in summaries.parts(episode))
    return [_summary(*one, summaries.BUILT_IN) for one in parts if one[1]], calls


def _summary(sources: Sequence[Memory], sentences: Sequence[Sentence], sure: float) -> Group:
    text = summaries.text_of(sentences)
    return Group(ProposalKind.SUMMARISE, sources, text, sure, sentences)


def _small_memories(job: Job) -> MemoryQuerySet:
    """Return the small observations of conversations that follow the job's place, in the order of
    conversations, users and turns, without those that another proposal removes."""
    rows = consolidatable(job.space, proposing.scope_of(job)).exclude(source_conversation="")
    size = Func("content", function="octet_length", output_field=IntegerField())
    rows = rows.annotate(size=size, owner=Coalesce("user_id", Value("")))
    small = rows.filter(Q(size__lte=summaries.SMALL))
    small = small.filter(memory_type__in=summaries.SMALL_TYPES).exclude(pk__in=_used(job))
    if job.result["place"] is not None:
        at, position, memory_id, talk, owner = job.result["place"]
        moment = parse_datetime(at)
        # An imported conversation has many turns of one moment.
        later = Q(created_at__gt=moment) | Q(created_at=moment, source_position__gt=position)
        later |= Q(created_at=moment, source_position=position, pk__gt=UUID(memory_id))
        later &= Q(source_conversation=talk, owner=owner)
        next_owner = Q(source_conversation=talk, owner__gt=owner)
        small = small.filter(Q(source_conversation__gt=talk) | next_owner | later)
    turns = ("source_conversation", F("owner"), "created_at", "source_position", "pk")
    found: MemoryQuerySet = small.order_by(*turns)
    return found


def _roots(job: Job) -> MemoryQuerySet:
    """Return the memories that follow the job's place, oldest first."""
    rows = consolidatable(job.space, proposing.scope_of(job)).order_by("created_at", "pk")
    if job.result["place"] is None:
        return rows
    at, memory_id = job.result["place"]
    moment = parse_datetime(at)
    later = Q(created_at__gt=moment) | Q(created_at=moment, pk__gt=UUID(memory_id))
    return rows.filter(later)


def _used(job: Job) -> set[UUID]:
    """Return the memories that a proposal of this job removes."""
    rows = ConsolidationProposal.objects.in_space(job.space).of_job(job.pk)
    return {memory_id for one in rows for memory_id in one.removed}


def _apply_some(job: Job) -> bool:
    """Apply some of the job's proposals that are sure enough; return false if none is left."""
    document = current_policy(job.space).document
    rows = ConsolidationProposal.objects.in_space(job.space).of_job(job.pk).open()
    rows = rows.filter(confidence__gte=document.consolidation.min_confidence)
    if document.assessment.hold_conflicts:
        rows = rows.exclude(kind=ProposalKind.CONTRADICTION)
    proposals = list(rows.order_by("created_at", "pk")[:APPLIED_AT_ONCE])
    if not proposals:
        return False
    actor = replace(SYSTEM, action_id=UUID(job.result["action_id"]))
    now = timezone.now()
    done = apply_proposals(space=job.space, proposals=proposals, actor=actor, now=now)
    _advance(job, {"applied": job.result["applied"] + done.applied})
    return True


def _advance(job: Job, changes: Mapping[str, Any], *, done: int | None = None) -> None:
    """Record a step with these changes of the job's state, and renew the lease."""
    jobs.advance(
        job=job,
        done=job.done if done is None else done,
        total=max(job.total or 0, done or 0),
        result={**job.result, **changes},
        now=timezone.now(),
    )
