"""JSON API of consolidation: look for proposals, apply them, undo an action."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Status

from accounts.authentication import Access, access_to
from foundation.errors import Conflict, NotFound
from foundation.http.requests import RowId, may_fail, parse_uuid
from memory.consolidation import services
from memory.consolidation.consolidation_job import KIND, start_consolidation
from memory.consolidation.schemas import AppliedOut, ApplyIn, UndoneOut
from memory.consolidation.undo import UndoneAction, undo_action
from memory.jobs.schemas import JobOut
from memory.models import ConsolidationProposal, Job, ProposalState
from memory.references import check_change

router = Router(tags=["consolidation"])


@router.post(
    "consolidation/preview",
    response={202: JobOut},
    url_name="consolidation_preview",
    operation_id="previewConsolidation",
    openapi_extra=may_fail(409),
)
def preview(request: HttpRequest) -> Status[JobOut]:
    """Look for memories that say the same thing, contradict each other or can be summarised.
    Nothing is changed.

    The response is a job. When it is done, `GET jobs/{id}` has the proposals in `result.proposals`.
    They replace the open proposals of earlier jobs.
    """
    access, now = access_to(request, "write"), timezone.now()
    job = start_consolidation(space=access.space, reader=access.reader, actor=access.actor, now=now)
    return Status(202, JobOut.of(job, now))


@router.post(
    "consolidation/apply",
    response=AppliedOut,
    url_name="consolidation_apply",
    operation_id="applyConsolidation",
    openapi_extra=may_fail(404, 409, 503),
)
def apply(request: HttpRequest, asked: ApplyIn) -> services.Applied:
    """Apply proposals as one action. Their sources move to the recycle bin."""
    access = access_to(request, "write")
    proposals = _proposals(access, asked)
    check_change(access.reader, *proposals)
    return services.apply_proposals(
        space=access.space, proposals=proposals, actor=access.actor, now=timezone.now()
    )


@router.post(
    "actions/{action_id}/undo",
    response=UndoneOut,
    url_name="actions_undo",
    operation_id="undoAction",
    openapi_extra=may_fail(404, 409),
)
def undo(request: HttpRequest, action_id: RowId) -> UndoneAction:
    """Undo a consolidation: its sources are restored as they were, and the memories that replaced
    them move to the recycle bin. A change that you made to many memories can be undone too.
    """
    access = access_to(request, "write")
    return undo_action(
        space=access.space,
        reader=access.reader,
        action_id=parse_uuid(action_id),
        actor=access.actor,
        now=timezone.now(),
    )


def _proposals(access: Access, asked: ApplyIn) -> list[ConsolidationProposal]:
    """Return the open proposals that were asked for. Raises NotFound if one does not exist,
    Conflict if the job has not ended or a proposal was decided before."""
    job = Job.objects.in_space(access.space).filter(pk=parse_uuid(asked.job_id), kind=KIND).first()
    if job is None:
        raise NotFound("Job not found.")
    if not job.is_finished:
        raise Conflict("The job is still running. Try again when its status is done.")
    rows = ConsolidationProposal.objects.in_space(access.space).readable_by(access.reader)
    found = {one.pk: one for one in rows.of_job(job.pk).order_by("created_at", "pk")}
    if asked.ids is None:
        own = (one for one in found.values() if access.reader.may_change(one.user_id))
        return [one for one in own if one.state == ProposalState.OPEN]
    wanted = [parse_uuid(one) for one in asked.ids]
    if any(pk not in found for pk in wanted):
        raise NotFound("Proposal not found.")
    return [_undecided(found[pk]) for pk in dict.fromkeys(wanted)]


def _undecided(proposal: ConsolidationProposal) -> ConsolidationProposal:
    if proposal.state != ProposalState.OPEN:
        raise Conflict("One of these proposals is already decided. Request a new preview.")
    return proposal
