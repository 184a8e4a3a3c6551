"""A space's members and their roles. Every space keeps at least one owner."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts.audit import note
from accounts.models import AuditAction, Invitation, Membership, Role, Space, User
from foundation.actors import Actor
from foundation.database.locks import lock_changes
from foundation.errors import Conflict, Forbidden, NotFound


def addresses_of_owners(space: Space) -> list[str]:
    """Return the mail addresses of the owners who have one."""
    owners = User.objects.filter(memberships__space=space, memberships__role=Role.OWNER)
    owners = owners.filter(is_active=True).exclude(email="")
    return list(owners.order_by("pk").values_list("email", flat=True))


@transaction.atomic
def add_member(*, space: Space, user: User, role: Role, actor: Actor, now: datetime) -> Membership:
    """Give a user this role in the space, replacing any earlier role.

    Raises Conflict if the space would have no owner.
    """
    lock_changes(space.pk)  # two owners must not remove each other at the same time
    before = Membership.objects.filter(space=space, user=user).first()
    if before is not None and before.role == Role.OWNER != role:
        _keep_an_owner(before)
    membership, is_new = Membership.objects.update_or_create(
        space=space, user=user, defaults={"role": role}
    )
    _end_invitations(membership, by_them=role != Role.OWNER)
    action = AuditAction.MEMBER_ADDED if is_new else AuditAction.MEMBER_CHANGED
    if before is None or before.role != membership.role:
        detail = {"role": str(role), "before": before.role if before else None}
        _note(membership, action, actor, now, detail)
    return membership


@transaction.atomic
def change_role(
    *, membership: Membership, role: Role, by: User, actor: Actor, now: datetime
) -> None:
    """Change a member's role in the name of an owner. Raises Forbidden, NotFound if the member was
    removed meanwhile, Conflict for the last owner."""
    check_owner(membership.space, by)
    if not Membership.objects.filter(pk=membership.pk).exists():
        raise NotFound("Member not found.")
    add_member(space=membership.space, user=membership.user, role=role, actor=actor, now=now)


def check_owner(space: Space, user: User) -> None:
    """Raise Forbidden unless the user is an owner now, which no one changes before the transaction
    ends: another owner may have ended their right since their request began."""
    lock_changes(space.pk)
    if not Membership.objects.filter(space=space, user=user, role=Role.OWNER).exists():
        raise Forbidden("You are no longer an owner of this space.")


@transaction.atomic
def remove_member(
    *, membership: Membership, actor: Actor, now: datetime, by: User | None = None
) -> None:
    """Remove a user from the space, in the name of an owner if `by` is given. Raises Forbidden,
    Conflict for its last owner."""
    lock_changes(membership.space_id)
    if by is not None:
        check_owner(membership.space, by)
    locked = Membership.objects.filter(pk=membership.pk).first()
    if locked is None:
        return
    if locked.role == Role.OWNER:
        _keep_an_owner(locked)
    _end_invitations(locked, by_them=True)
    locked.delete()
    _note(membership, AuditAction.MEMBER_REMOVED, actor, now, {"before": locked.role})


def _end_invitations(member: Membership, *, by_them: bool) -> None:
    """Delete the invitations of the member's names, and those that the member made if `by_them`:
    the links would let in somebody who was removed."""
    theirs = Q(name__in=[member.known_as, member.user.get_username()])
    made = Q(invited_by=member.user) if by_them else Q()
    Invitation.objects.of_space(member.space).filter(theirs | made).delete()


def _keep_an_owner(leaving: Membership) -> None:
    owners = Membership.objects.filter(space_id=leaving.space_id, role=Role.OWNER)
    if not owners.exclude(pk=leaving.pk).exists():
        raise Conflict("A space needs an owner. Make someone else an owner first.")


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
        subject=membership.known_as,
        now=now,
        detail=detail,
    )
