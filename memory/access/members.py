"""A space's members and their roles. Every space keeps at least one owner."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from memory.access import roles
from memory.access.audit import note
from memory.actors import Actor
from memory.errors import Conflict, FieldError, InvalidArguments, NotFound
from memory.locks import lock_changes
from memory.models import AuditAction, Membership, Role, Space, User


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
    action = AuditAction.MEMBER_ADDED if is_new else AuditAction.MEMBER_CHANGED
    if before is None or before.role != membership.role:
        detail = {"role": str(role), "before": before.role if before else None}
        _note(membership, action, actor, now, detail)
    return membership


@transaction.atomic
def remove_member(*, membership: Membership, actor: Actor, now: datetime) -> None:
    """Remove a user from the space. Raises Conflict for its last owner."""
    lock_changes(membership.space_id)
    locked = Membership.objects.filter(pk=membership.pk).first()
    if locked is None:
        return
    if locked.role == Role.OWNER:
        _keep_an_owner(locked)
    locked.delete()
    _note(membership, AuditAction.MEMBER_REMOVED, actor, now, {"before": locked.role})


@transaction.atomic
def invite(*, space: Space, username: str, role: Role, actor: Actor, now: datetime) -> User:
    """Create an account without a password and make it a member; a login link opens it.

    The name may be a mail address, to which the link can be sent. Raises InvalidArguments, also for
    a name that is already in use.
    """
    name = User.normalize_username(username.strip())
    user = User(username=name, email=name if "@" in name else "")
    user.set_unusable_password()
    try:
        user.full_clean(exclude=["password"])
    except ValidationError as error:
        raise InvalidArguments(FieldError("username", " ".join(error.messages))) from None
    user.save()
    add_member(space=space, user=user, role=role, actor=actor, now=now)
    _link(space, user, actor, now)
    return user


@transaction.atomic
def invite_again(*, space: Space, user: User, actor: Actor, now: datetime) -> User:
    """Allow another login link for an invited user who has never logged in.

    Raises NotFound, or Conflict if the account is more than an invitation to this space, because a
    link gives access to everything its user may see.
    """
    if not Membership.objects.filter(space=space, user=user).exists():
        raise NotFound("Member not found.")
    if not is_invitation(user):
        raise Conflict("Login links are only for invited people who have never logged in.")
    _link(space, user, actor, now)
    return user


def is_invitation(user: User) -> bool:
    """Return True if the account has never been logged in to and opens this one space only."""
    return (
        user.last_login is None
        and user.is_active
        and not (roles.may_open_admin(user) or user.has_usable_password())
        and user.memberships.count() == 1
    )


def _keep_an_owner(leaving: Membership) -> None:
    owners = Membership.objects.filter(space_id=leaving.space_id, role=Role.OWNER)
    if not owners.exclude(pk=leaving.pk).exists():
        raise Conflict("A space needs an owner. Make someone else an owner first.")


def _link(space: Space, user: User, actor: Actor, now: datetime) -> None:
    name = user.get_username()
    note(space=space, actor=actor, action=AuditAction.MEMBER_LINKED, subject=name, now=now)


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
