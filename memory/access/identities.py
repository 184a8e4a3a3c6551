"""Users who sign in at the organisation's identity provider: their accounts and their roles.

Ebb recognises a person by the provider's id, never by name or mail address. Otherwise anyone who
can choose these at the provider could take over an account.
"""

import logging
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from memory.access.audit import note_installation
from memory.access.members import add_member, remove_member
from memory.actors import SYSTEM, Actor
from memory.errors import Conflict, Forbidden, NotFound
from memory.models import AuditAction, Identity, Membership, Role, Space, User

log = logging.getLogger(__name__)

_LONGEST_NAME = 150
_RANKS = (Role.VIEWER, Role.EDITOR, Role.OWNER)


@dataclass(frozen=True)
class Person:
    """A person as the identity provider describes them. `subject` is the provider's id."""

    issuer: str
    subject: str
    name: str
    email: str = ""
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True)
class GroupRole:
    """The members of the provider's group `group` have this role in the space."""

    group: str
    space: str
    role: Role


def user_of(*, person: Person, may_create: bool, now: datetime) -> User:
    """Return the account of this person, new if there is none yet.

    Raises NotFound if there is none and none may be created, Forbidden if it is switched off,
    Conflict if the same person was being signed in at the same moment.
    """
    known = Identity.objects.filter(issuer=person.issuer, subject=person.subject)
    if found := known.select_related("user").first():
        if not found.user.is_active:
            raise Forbidden("This account is switched off.")
        return found.user
    if not may_create:
        raise NotFound("No account belongs to this person.")
    try:
        return _create(person, now)
    except IntegrityError:
        raise Conflict("The account was being created. Sign in again.") from None


@transaction.atomic
def connect(*, user: User, person: Person, now: datetime) -> None:
    """Let this user sign in as this person from now on.

    Raises Conflict if the person has another account, or the account another person.
    """
    found = Identity.objects.filter(issuer=person.issuer)
    if found.filter(user=user, subject=person.subject).exists():
        return
    if found.filter(subject=person.subject).exists():
        raise Conflict("This sign-in belongs to another account.")
    if found.filter(user=user).exists():
        raise Conflict("This account has another sign-in.")
    Identity.objects.create(user=user, issuer=person.issuer, subject=person.subject, created_at=now)
    actor = Actor("user", user.get_username())
    _note(AuditAction.ACCOUNT_CONNECTED, user, person, actor, now)


def apply_roles(
    *, user: User, groups: Collection[str], rules: Iterable[GroupRole], now: datetime
) -> None:
    """Give the user the roles of these groups in the spaces named by the rules.

    With several groups, the highest role counts. A user with none of a space's groups is removed
    from it, unless they are its last owner. Other spaces stay as they are.
    """
    wanted: dict[str, Role | None] = {}
    for rule in rules:
        roles = [role for role in (wanted.get(rule.space), rule.role) if role is not None]
        if rule.group in groups:
            wanted[rule.space] = max(roles, key=_RANKS.index)
        else:
            wanted.setdefault(rule.space, None)
    for slug, role in wanted.items():
        space = Space.objects.open().filter(slug=slug).first()
        if space is None:
            log.warning("EBB_OIDC_ROLES names the space %s, which does not exist.", slug)
            continue
        try:
            _apply_role(space, user, role, now)
        except Conflict:
            log.warning(
                "%s is still an owner of %s, which has no other owner.", user.get_username(), slug
            )


def _apply_role(space: Space, user: User, role: Role | None, now: datetime) -> None:
    membership = Membership.objects.filter(space=space, user=user).first()
    if role is not None and (membership is None or membership.role != role):
        add_member(space=space, user=user, role=role, actor=SYSTEM, now=now)
    elif role is None and membership is not None:
        remove_member(membership=membership, actor=SYSTEM, now=now)


@transaction.atomic
def _create(person: Person, now: datetime) -> User:
    name = _free_name(person.name)
    # The provider may not have checked an address, so it does not open invitations.
    user = User(username=name, email=person.email[:254], is_vouched="@" not in name)
    user.set_unusable_password()
    user.save()
    Identity.objects.create(user=user, issuer=person.issuer, subject=person.subject, created_at=now)
    _note(AuditAction.ACCOUNT_CREATED, user, person, SYSTEM, now)
    return user


def _free_name(wish: str) -> str:
    """Return a user name near the one that the provider gives, with a number if it is taken."""
    # The characters that Django allows in user names.
    name = re.sub(r"[^\w.@+-]", "", User.normalize_username(wish))
    name = name[: _LONGEST_NAME - 8] or "user"
    taken = set(User.objects.filter(username__startswith=name).values_list("username", flat=True))
    names = (name if number == 1 else f"{name}-{number}" for number in range(1, len(taken) + 2))
    return next(one for one in names if one not in taken)


def _note(action: AuditAction, user: User, person: Person, actor: Actor, now: datetime) -> None:
    detail = {"issuer": person.issuer, "subject": person.subject}
    note_installation(
        actor=actor, action=action, subject=user.get_username(), now=now, detail=detail
    )
