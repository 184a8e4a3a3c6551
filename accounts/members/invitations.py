"""Invitations: an owner invites a name, and the person with the link accepts or declines.

Inviting looks up no account, so it tells nobody which names exist. An account that is made through
a link shown to the owner has a name that cannot be anybody's: the owner, who may have opened the
link, must not become the person whom others invite by that name. Only a mailed link proves an
address. In the space, the member has the name that the owner wrote.
"""

import secrets
import unicodedata
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.audit import note, note_installation
from accounts.keys.services import digest
from accounts.members.services import check_owner
from accounts.models import AuditAction, Invitation, Membership, Role, Space, User
from foundation.actors import Actor
from foundation.database.locks import lock_changes
from foundation.errors import Conflict, FieldError, InvalidArguments, NotFound
from foundation.texts.forms import folded

LIFETIME = timedelta(days=7)
_ALPHABETS = {"LATIN", "CYRILLIC", "GREEK"}  # have letters that look the same: a, а, α
_MARK = 6  # characters that set a name apart, of the invitation's digest


@transaction.atomic
def invite(
    *, space: Space, name: str, role: Role, invited_by: User, actor: Actor, now: datetime
) -> tuple[Invitation, str]:
    """Create an invitation, or renew the one of this name; return it and its token, which is not
    stored. An earlier token ends.

    Raises Forbidden if the inviter is no owner, InvalidArguments for a name that no account can
    have, Conflict if a member of the space has it.
    """
    name = _checked(name)
    check_owner(space, invited_by)
    _check_no_member(space, name)
    token = secrets.token_urlsafe(32)
    values = {
        "role": role, "invited_by": invited_by, "digest": digest(token), "is_mailed": False,
        "created_at": now, "expires_at": now + LIFETIME,
    }  # fmt: skip
    invitation, _is_new = Invitation.objects.update_or_create(
        space=space, name=name, defaults=values
    )
    _note(invitation, AuditAction.MEMBER_INVITED, actor, now)
    return invitation, token


def mark_mailed(*, invitation: Invitation) -> None:
    """Record that the present token was mailed and is shown to nobody."""
    Invitation.objects.filter(pk=invitation.pk, digest=invitation.digest).update(is_mailed=True)


def invitation_with(*, token: str, now: datetime) -> Invitation | None:
    """Return the valid invitation with this token, or None."""
    return Invitation.objects.valid(now).filter(digest=digest(token)).first()


@transaction.atomic
def withdraw(*, invitation: Invitation, actor: Actor, now: datetime) -> None:
    """Delete an invitation in the name of an owner."""
    lock_changes(invitation.space_id)
    if Invitation.objects.filter(pk=invitation.pk).delete()[0]:
        _note(invitation, AuditAction.MEMBER_UNINVITED, actor, now)


@transaction.atomic
def decline(*, invitation: Invitation, now: datetime) -> None:
    """Delete an invitation in the name of the invited person. Raises NotFound."""
    held = _take(invitation, now)
    _note(held, AuditAction.MEMBER_DECLINED, Actor("user", held.name), now)


@transaction.atomic
def accept(*, invitation: Invitation, user: User, now: datetime) -> Membership:
    """Make the user a member and spend the invitation.

    Raises NotFound if it ended meanwhile, Conflict if the user or the name is in the space already.
    """
    held = _take(invitation, now)
    if Membership.objects.filter(space=held.space, user=user).exists():
        raise Conflict("You are already a member of this space.")
    _check_no_member(held.space, held.name)
    member = Membership.objects.create(space=held.space, user=user, role=held.role, name=held.name)
    _note(held, AuditAction.MEMBER_ADDED, Actor("user", held.name), now)
    return member


@transaction.atomic
def accept_as_new(*, invitation: Invitation, password: str, now: datetime) -> User:
    """Create an account with this password and let it accept; return it. Raises the errors of
    `accept`."""
    name = account_name(invitation)
    user = User(username=name, email=invitation.name if invitation.is_mailed else "")
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:
        raise Conflict("The account exists already. Log in.") from None
    space, actor = invitation.space.slug, Actor("user", name)
    note_installation(
        actor=actor, action=AuditAction.ACCOUNT_CREATED, subject=name, now=now,
        detail={"space": space},
    )  # fmt: skip
    accept(invitation=invitation, user=user, now=now)
    return user


def account_name(invitation: Invitation) -> str:
    """Return the name of the account that the invitation may create: the address that it proves,
    if no account has it, otherwise the invited name with a mark that nobody can guess."""
    name = invitation.name
    if invitation.is_mailed and not User.objects.filter(username=name).exists():
        return name
    return f"{name.partition('@')[0][:140]}-{invitation.digest[:_MARK]}"


def _take(invitation: Invitation, now: datetime) -> Invitation:
    """Delete the invitation and return it; raises NotFound if it or its token ended meanwhile."""
    lock_changes(invitation.space_id)
    rows = Invitation.objects.valid(now).filter(pk=invitation.pk, digest=invitation.digest)
    held = rows.first()
    if held is None:
        raise NotFound("This invitation no longer works.")
    Invitation.objects.filter(pk=held.pk).delete()
    return held


def _checked(name: str) -> str:
    """Return the name as an account would have it; raises InvalidArguments, also for a name in
    which an а of another alphabet replaces an a."""
    name = User.normalize_username(name.strip())
    try:
        User._meta.get_field("username").clean(name, None)  # no look-up
        if "@" in name:
            validate_email(name)
    except ValidationError as error:
        raise InvalidArguments(FieldError("username", " ".join(error.messages))) from None
    if len(_ALPHABETS & {unicodedata.name(sign, "").partition(" ")[0] for sign in name}) > 1:
        mixed = _("A name cannot mix letters of alphabets that look alike.")
        raise InvalidArguments(FieldError("username", mixed))
    return name


def _check_no_member(space: Space, name: str) -> None:
    named = Q(name__folded=folded(name)) | Q(name="", user__username__folded=folded(name))
    if Membership.objects.filter(named, space=space).exists():
        raise Conflict("The space has a member of this name.")


def _note(invitation: Invitation, action: AuditAction, actor: Actor, now: datetime) -> None:
    detail = {"role": invitation.role}
    note(
        space=invitation.space, actor=actor, action=action, subject=invitation.name, now=now,
        detail=detail,
    )  # fmt: skip
