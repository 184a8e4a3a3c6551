"""JSON API of a space's policy, its preview, and the sweep that applies it."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Body, Router

from accounts.authentication import access_to
from accounts.limits.rate_limits import CallKind, count_call
from foundation.http.requests import may_fail
from memory.models.policies import Policy, current_policy
from memory.policies import services
from memory.policies.preview import Preview, preview_policy
from memory.policies.schemas import PolicyChanges, PolicyOut, PreviewIn, PreviewOut, SweptOut
from memory.retention.sweep import Swept
from memory.retention.sweep import sweep as sweep_space

router = Router(tags=["policy"])


@router.get("policy", response=PolicyOut, url_name="policy_get", operation_id="getPolicy")
def get_policy(request: HttpRequest) -> dict[str, Any]:
    """Return the policy in effect."""
    return _shown(current_policy(access_to(request, "read").space))


@router.patch(
    "policy",
    response=PolicyOut,
    url_name="policy_change",
    operation_id="changePolicy",
    openapi_extra=may_fail(409),
)
def change_policy(request: HttpRequest, changes: Body[PolicyChanges]) -> dict[str, Any]:
    """Change parts of the policy; others keep their values. Each change creates a new version."""
    access = access_to(request, "admin")
    return _shown(
        services.change_policy(
            space=access.space, changes=changes, actor=access.actor, now=timezone.now()
        )
    )


@router.post(
    "policy/preview",
    response=PreviewOut,
    url_name="policy_preview",
    operation_id="previewPolicy",
    openapi_extra=may_fail(503),
)
def preview(request: HttpRequest, asked: PreviewIn) -> Preview:
    """Return the effect of policy changes, now or at a later time, without changing anything."""
    access, now = access_to(request, "read"), timezone.now()
    count_call(access, CallKind.PREVIEW, now=now)
    return preview_policy(
        space=access.space,
        reader=access.reader,
        person=access.person,
        changes=asked.changes,
        queries=asked.queries,
        now=now,
        as_of=asked.as_of,
    )


@router.post("sweep", response=SweptOut, url_name="sweep", operation_id="sweep")
def sweep(request: HttpRequest) -> Swept:
    """Run the sweep (expiry, capacity, bin) now, instead of within the next five minutes."""
    access = access_to(request, "admin")
    return sweep_space(space=access.space, now=timezone.now(), actor=access.actor)


def _shown(policy: Policy) -> dict[str, Any]:
    return {"version": policy.version, **policy.document.model_dump()}
