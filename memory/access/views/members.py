"""The page of a space's members: list, invite, change roles and remove."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect
from sesame.utils import get_query_string

from memory.access import members as services
from memory.access.authentication import Access
from memory.access.forms import SentText
from memory.access.invitation_mail import mail_invitation
from memory.access.pages import PageRequest, space_page
from memory.access.views.keys import audited
from memory.errors import Conflict, InvalidArguments
from memory.models import Membership, Role, User
from memory.pagination import keyset

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
        return render(request, "memory/access/_member_rows.html", _listed(request, access))
    return _shown(request, access)


@require_POST
@space_page("admin")
def invite(request: PageRequest, access: Access) -> HttpResponse:
    """Add a person as a member. Someone without an account gets one, and its login link is shown
    once."""
    name, role = _name(request).strip(), _role(request)
    known = User.objects.filter(username=name, is_active=True).first()
    if known is not None:
        return _added(request, access, known, role)
    if not settings.EBB_LOCAL_LOGIN:
        return _shown(request, access, error=_no_account(name), asked=name, role=role)
    try:
        user = services.invite(
            space=access.space, username=name, role=role, actor=access.actor, now=timezone.now()
        )
    except InvalidArguments as error:
        return _shown(request, access, error=error.errors[0].message, asked=name, role=role)
    return _linked(request, access, user)


def _added(request: PageRequest, access: Access, user: User, role: Role) -> HttpResponse:
    name = user.get_username()
    if Membership.objects.filter(space=access.space, user=user).exists():
        said = _("%(name)s is already a member. Change the role in the list.") % {"name": name}
        return _shown(request, access, error=said)
    services.add_member(
        space=access.space, user=user, role=role, actor=access.actor, now=timezone.now()
    )
    return _shown(request, access, done=_("%(name)s added.") % {"name": name})


def _linked(request: PageRequest, access: Access, user: User) -> HttpResponse:
    """Show the login link of an invited user, and mail it where mail is set up."""
    link = request.build_absolute_uri(reverse("login_link") + get_query_string(user))
    mailed = mail_invitation(space=access.space, user=user, link=link)
    return _shown(request, access, invited=user, link=link, mailed=mailed)


@require_POST
@space_page("admin")
def invite_again(request: PageRequest, access: Access, member_id: int) -> HttpResponse:
    """Show another login link for an invited user who has never logged in."""
    member = _member(access, member_id)
    if not settings.EBB_LOCAL_LOGIN:
        return _shown(request, access, error=_no_links())
    try:
        services.invite_again(
            space=access.space, user=member.user, actor=access.actor, now=timezone.now()
        )
    except Conflict:
        said = _(
            "%(name)s has logged in before or belongs to other spaces, so no login link "
            "was created."
        )
        return _shown(request, access, error=said % {"name": member.user.username})
    return _linked(request, access, member.user)


@require_POST
@space_page("admin")
def change(request: PageRequest, access: Access, member_id: int) -> HttpResponse:
    """Change a member's role."""
    member = _member(access, member_id)
    try:
        services.add_member(
            space=access.space,
            user=member.user,
            role=_role(request),
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
        services.remove_member(membership=member, actor=access.actor, now=timezone.now())
    except Conflict:
        return _shown(request, access, error=_LAST_OWNER)
    if member.user_id == request.user.pk:
        said = _("You left %(space)s.") % {"space": access.space.name}
        messages.success(request, said)
        return _away(request, reverse("home"))
    said = _("%(name)s removed.") % {"name": member.user.username}
    return _shown(request, access, done=said)


_LAST_OWNER = gettext_lazy("A space needs an owner. Make someone else an owner first.")


def _no_account(name: str) -> str:
    said = _(
        "No account is named %(name)s. People get one when they first log in with %(provider)s."
    )
    return said % {"name": name, "provider": settings.EBB_OIDC_NAME}


def _no_links() -> str:
    said = _("There are no login links here. People log in with %(name)s.")
    return said % {"name": settings.EBB_OIDC_NAME}


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
    return list(rows.order_by("pk").values_list("user__username", flat=True)[:PAGE_SIZE])


def _shown(request: PageRequest, access: Access, **more: Any) -> HttpResponse:
    context = _listed(request, access) | {"role": Role.VIEWER} | more
    if not settings.EBB_LOCAL_LOGIN:
        context["provider"] = settings.EBB_OIDC_NAME
    if "admin" in access.scopes:
        context |= audited(request, access)
    template = "memory/access/_members.html" if request.htmx else "memory/access/members.html"
    response = render(request, template, context)
    response["Cache-Control"] = "no-store"  # the page may contain a login link
    return response
