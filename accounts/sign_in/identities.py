"""Users who sign in at the organisation's identity provider: their names and their roles."""

import logging
import re
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.audit import note_installation
from accounts.members.services import add_member, remove_member
from accounts.models import AuditAction, Membership, Role, Space, User
from foundation.actors import SYSTEM, Actor
from foundation.errors import Conflict

log = logging.getLogger(__name__)

_LONGEST_NAME = 150
_RANKS = (Role.VIEWER, Role.EDITOR, Role.OWNER)


def closed(request: HttpRequest) -> HttpResponse:
    """Return the page for a person without an account, or whose account is switched off."""
    return render(request, "account/signup_closed.html", status=403)


def note_person(action: AuditAction, sociallogin: Any, *, actor: Actor) -> None:
    """Append an entry about a person of the provider to the log of the installation."""
    note_installation(
        actor=actor,
        action=action,
        subject=sociallogin.user.get_username(),
        now=timezone.now(),
        detail={"issuer": sociallogin.account.provider, "subject": sociallogin.account.uid},
    )


def apply_roles(*, user: User, groups: Collection[str]) -> None:
    """Give the user the roles that EBB_OIDC_ROLES has for these groups of the provider.

    With several groups, the highest role counts. A user with none of a space's groups is removed
    from it, unless they are its last owner. Other spaces stay as they are.
    """
    wanted: dict[str, list[Role]] = {}
    for group, slug, role in settings.EBB_OIDC_ROLES:
        wanted.setdefault(slug, []).extend([Role(role)] if group in groups else [])
    for slug, roles in wanted.items():
        space = Space.objects.open().filter(slug=slug).first()
        if space is None:
            log.warning("EBB_OIDC_ROLES names the space %s, which does not exist.", slug)
            continue
        try:
            _apply_role(space, user, max(roles, key=_RANKS.index, default=None))
        except Conflict:
            log.warning(
                "%s is still an owner of %s, which has no other owner.", user.get_username(), slug
            )


def _apply_role(space: Space, user: User, role: Role | None) -> None:
    membership = Membership.objects.filter(space=space, user=user).first()
    if role is not None and (membership is None or membership.role != role):
        add_member(space=space, user=user, role=role, actor=SYSTEM, now=timezone.now())
    elif role is None and membership is not None:
        remove_member(membership=membership, actor=SYSTEM, now=timezone.now())


def free_name(wish: str) -> str:
    """Return a user name near the one that the provider gives, with a number if it is taken."""
    # The characters that Django allows in user names.
    name = re.sub(r"[^\w.@+-]", "", User.normalize_username(wish))
    name = name[: _LONGEST_NAME - 8] or "user"
    found = User.objects.filter(username__istartswith=name).values_list("username", flat=True)
    taken = {one.casefold() for one in found}
    names = (name if number == 1 else f"{name}-{number}" for number in range(1, len(taken) + 2))
    return next(one for one in names if one.casefold() not in taken)
