"""Changes to a space's policy: every version is stored, with its author."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.lookups import IsNull

from accounts.models import Space
from foundation.actors import Actor
from foundation.database.locks import lock_changes
from foundation.errors import Conflict, NotFound
from memory.models import Memory, PolicyVersion, Status
from memory.models.memories import expiry_from
from memory.models.policies import Policy, current_policy, policy_values, policy_version
from memory.policy import PolicyDocument, changed, merged
from memory.store.conversations import index_all


@transaction.atomic
def change_policy(
    *, space: Space, changes: Mapping[str, Any], actor: Actor, now: datetime
) -> Policy:
    """Merge the changes into the policy and store the result as the next version, if it differs.

    `changes` may contain the `version` of the document that was read; if another one is in effect
    by now, raises Conflict. Raises InvalidArguments with the fields' paths. Dependent data is
    updated too: a new TTL counts from the start of each lifetime, and a new language rebuilds the
    text index.
    """
    # Concurrent changes run one after the other, each on the result of the one before.
    lock_changes(space.pk)
    before = current_policy(space)
    asked = dict(changes)
    if asked.pop("version", before.version) != before.version:
        raise Conflict(f"The policy is at version {before.version} now. Read it again first.")
    document = changed(before.document, asked)
    if document == before.document:
        return before
    version = before.version + 1
    after = add_version(
        space=space, version=version, document=document, actor=actor, now=now,
        stored=policy_values(space, before.version),
    )  # fmt: skip
    if document.ttl.tiers != before.document.ttl.tiers:
        _renew_lifetimes(space, document)
    if document.language != before.document.language:
        index_all(space, language=document.language)
    return after


def add_version(
    *,
    space: Space,
    version: int,
    document: PolicyDocument,
    actor: Actor,
    now: datetime,
    stored: Mapping[str, Any] = {},
) -> Policy:
    """Store the document as a version of the space's policy.

    Fields of the version before (`stored`) that only a newer Ebb knows are kept.
    """
    PolicyVersion.objects.create(
        space=space,
        version=version,
        document=merged(stored, document.model_dump(mode="json")),
        created_at=now,
        actor_type=actor.type,
        actor_name=actor.name,
    )
    return Policy(version, document)


def revert_policy(*, space: Space, version: int, actor: Actor, now: datetime) -> Policy:
    """Store the document of an earlier version as a new version. Raises NotFound."""
    earlier = policy_version(space, version)
    if earlier is None:
        raise NotFound("Policy version not found.")
    return change_policy(space=space, changes=earlier.document.model_dump(), actor=actor, now=now)


def _renew_lifetimes(space: Space, document: PolicyDocument) -> None:
    """Recompute every lifetime by the new TTL, counted from its start.

    Binned memories get their lifetime when they are restored. Rows whose lifetime does not change
    are not written, because each write updates all indexes.
    """
    fresh = expiry_from(F("clock_started_at"), document.ttl.tiers)
    moved = (
        Q(expires_at__lt=fresh)
        | Q(expires_at__gt=fresh)
        | (Q(expires_at__isnull=True) & Q(IsNull(fresh, False)))
        | (Q(expires_at__isnull=False) & Q(IsNull(fresh, True)))
    )
    rows = Memory.objects.in_space(space).exclude(status=Status.BINNED).filter(moved)
    rows.update(expires_at=fresh)
