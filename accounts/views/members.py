"""The page of a space's members: list, invite, change roles and remove."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.members import invitations
from accounts.members import services as services
from accounts.members.invitation_mail import mail_invitation
from accounts.models import Invitation, Membership, Role
from accounts.pages import PageRequest, space_page
from accounts.views.keys import audited
from foundation.errors import Conflict, InvalidArguments
from foundation.http.pagination import keyset

PAGE_SIZE = 100
ROLES = (
    (Role.VIEWER, gettext_lazy("viewer"), gettext_lazy("can view and search")),
    (Role.EDITOR, gettext_lazy("editor"), gettext_lazy("can edit and chat")),
    (Role.OWNER, gettext_lazy("owner"), gettext_lazy("full access")),
)


@require_GET
@space_page("read")
def members(request: PageRequest, access: Access) -> HttpResponse:
    """Show all members; for htmx, the next page of them."""
    if request.htmx and "cursor" in request.GET:
        return render(request, "accounts/_member_rows.html", _listed(request, access))
    return _shown(request, access)


@require_POST
@space_page("admin")
def invite(request: PageRequest, access: Access) -> HttpResponse:
    """Invite a person; mail the link, or show it once. The answer is the same whether an account of
    this name exists or not."""
    return _invited(request, access, _name(request), _role(request))


@require_POST
@space_page("admin")
def renew(request: PageRequest, access: Access, invitation_id: int) -> HttpResponse:
    """Renew an invitation: its earlier link ends."""
    found = get_object_or_404(Invitation.objects.of_space(access.space), pk=invitation_id)
    return _invited(request, access, found.name, Role(found.role))


@require_POST
@space_page("admin")
def withdraw(request: PageRequest, access: Access, invitation_id: int) -> HttpResponse:
    """Withdraw an invitation: its link ends."""
    found = get_object_or_404(Invitation.objects.of_space(access.space), pk=invitation_id)
    invitations.withdraw(invitation=found, actor=access.actor, now=timezone.now())
    return _shown(request, access, done=_("Invitation withdrawn."))


def _invited(request: PageRequest, access: Access, name: str, role: Role) -> HttpResponse:
    said = {"asked": name, "role": role}
    try:
        invitation, token = invitations.invite(
            space=access.space, name=name, role=role, invited_by=request.user,
            actor=access.actor, now=timezone.now(),
        )  # fmt: skip
    except InvalidArguments as error:
        return _shown(request, access, error=error.errors[0].message, **said)
    except Conflict:
        error_text = _("%(name)s is already a member. Change the role in the list.")
        return _shown(request, access, error=error_text % {"name": name}, **said)
    link = request.build_absolute_uri(f"{reverse('invitation')}?token={token}")
    mailed = mail_invitation(invitation=invitation, link=link)
    if mailed:
        invitations.mark_mailed(invitation=invitation)
        link = ""
    return _shown(request, access, invited=invitation, link=link, mailed=mailed)


@require_POST
@space_page("admin")
def change(request: PageRequest, access: Access, member_id: int) -> HttpResponse:
    """Change a member's role."""
    member = _member(access, member_id)
    try:
        services.change_role(
            membership=member,
            role=_role(request),
            by=request.user,
            actor=access.actor,
            now=timezone.now(),
        )
    except Conflict:
        return _shown(request, access, error=_LAST_OWNER)
    if member.user_id == request.user.pk:
        return _away(request, reverse("members", args=[access.space.slug]))
    return _shown(request, access)


@require_POST
@space_page("admin")
def remove(request: PageRequest, access: Access, member_id: int) -> HttpResponse:
    """Remove a member, possibly oneself."""
    member = _member(access, member_id)
    try:
        services.remove_member(
            membership=member, by=request.user, actor=access.actor, now=timezone.now()
        )
    except Conflict:
        return _shown(request, access, error=_LAST_OWNER)
    if member.user_id == request.user.pk:
        said = _("You left %(space)s.") % {"space": access.space.name}
        messages.success(request, said)
        return _away(request, reverse("home"))
    said = _("%(name)s removed.") % {"name": member.known_as}
    return _shown(request, access, done=said)


_LAST_OWNER = gettext_lazy("A space needs an owner. Make someone else an owner first.")


def _name(request: PageRequest) -> str:
    return SentText().clean(request.POST.get("username"))


def _role(request: PageRequest) -> Role:
    asked = request.POST.get("role", "")
    return Role(asked) if asked in Role else Role.VIEWER


def _member(access: Access, member_id: int) -> Membership:
    rows = Membership.objects.filter(space=access.space).select_related("user", "space")
    return get_object_or_404(rows, pk=member_id)


def _away(request: PageRequest, url: str) -> HttpResponse:
    return HttpResponseClientRedirect(url) if request.htmx else redirect(url)


def _listed(request: PageRequest, access: Access) -> dict[str, Any]:
    rows = Membership.objects.filter(space=access.space).select_related("user")
    cursor = request.GET.get("cursor") or None
    found, following = keyset("id").page(rows, limit=PAGE_SIZE, cursor=cursor)
    return {
        "members": found,
        "readers_of_all": _readers_of_all(access),
        "next_members": following,
        "roles": ROLES,
    }


def _readers_of_all(access: Access) -> list[str]:
    """Return the names of the members who read all conversations."""
    rows = Membership.objects.filter(space=access.space, role__in=[Role.OWNER, Role.EDITOR])
    found = rows.select_related("user").order_by("pk")[:PAGE_SIZE]
    return [member.known_as for member in found]


def _shown(request: PageRequest, access: Access, **more: Any) -> HttpResponse:
    context = _listed(request, access) | {"role": Role.VIEWER} | more
    if "admin" in access.scopes:
        pending = Invitation.objects.of_space(access.space)[:PAGE_SIZE]
        context |= {"pending": pending, "now": timezone.now(), **audited(request, access)}
    template = "accounts/_members.html" if request.htmx else "accounts/members.html"
    response = render(request, template, context)
    response["Cache-Control"] = "no-store"  # the page may contain a link
    return response
