"""Spaces, their members and their rules."""

from datetime import datetime

from django.db import transaction

from memory.actors import Actor
from memory.models import AuditAction, Embedder, Membership, PolicyVersion, Role, Space, User
from memory.policy import PolicyDocument
from memory.services.audit import note


@transaction.atomic
def create_space(
    *, slug: str, name: str, embedder: Embedder, actor: Actor, owner: User | None = None
) -> Space:
    """A new space with the default policy as its version 1."""
    space = Space.objects.create(slug=slug, name=name, embedder=embedder)
    PolicyVersion.objects.create(
        space=space,
        version=1,
        document=PolicyDocument().model_dump(mode="json"),
        actor_type=actor.type,
        actor_name=actor.name,
    )
    if owner is not None:
        add_member(space=space, user=owner, role=Role.OWNER, actor=actor, now=space.created_at)
    return space


@transaction.atomic
def add_member(*, space: Space, user: User, role: Role, actor: Actor, now: datetime) -> Membership:
    """Gives a user this role in the space, whether or not they had another before."""
    before = Membership.objects.filter(space=space, user=user).first()
    membership, is_new = Membership.objects.update_or_create(
        space=space, user=user, defaults={"role": role}
    )
    action = AuditAction.MEMBER_ADDED if is_new else AuditAction.MEMBER_CHANGED
    if before is None or before.role != membership.role:
        detail = {"role": str(role), "before": before.role if before else None}
        _note(membership, action, actor, now, detail)
    return membership


@transaction.atomic
def remove_member(*, membership: Membership, actor: Actor, now: datetime) -> None:
    """The user no longer belongs to the space."""
    if Membership.objects.filter(pk=membership.pk).delete()[0]:
        _note(membership, AuditAction.MEMBER_REMOVED, actor, now, {"before": membership.role})


def _note(
    membership: Membership,
    action: AuditAction,
    actor: Actor,
    now: datetime,
    detail: dict[str, str | None],
) -> None:
    note(
        space=membership.space,
        actor=actor,
        action=action,
        subject=membership.user.get_username(),
        now=now,
        detail=detail,
    )
