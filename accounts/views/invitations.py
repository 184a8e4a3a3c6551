"""The page of an invitation's link, and a logged-in person's answers to their invitations."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.members import invitations
from accounts.models import Invitation, User
from accounts.pages import PageRequest, logged_in
from accounts.sign_in.adapters import enter
from foundation.errors import Conflict, NotFound


@sensitive_post_parameters("new_password1", "new_password2")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: PageRequest) -> HttpResponse:
    """Show an invitation and take the answer: a logged-in user accepts as themselves, others log in
    first or set the password of a new account. An ended link is answered by 403.

    Opening the link changes nothing: mail programs and chats open links to preview them.
    """
    form = request.POST if request.method == "POST" else request.GET
    token = form.get("token", "")
    found = invitations.invitation_with(token=token, now=timezone.now())
    if found is None:
        return render(request, "registration/invitation.html", status=403)
    if "answer" in request.POST and (request.user.is_authenticated or _is_no(request)):
        return _answered(request, found)
    may_create = settings.EBB_LOCAL_LOGIN and not request.user.is_authenticated
    new = User(username=invitations.account_name(found)) if may_create else None
    if new is None:
        return _shown(request, found, token)
    passwords = SetPasswordForm(new, request.POST if "new_password1" in request.POST else None)
    if passwords.is_valid():
        return _created(request, found, passwords.cleaned_data["new_password1"])
    return _shown(request, found, token, form=passwords, name=new.username)


@logged_in
@require_POST
def answer_invitation(request: PageRequest, invitation_id: int) -> HttpResponse:
    """Accept or decline an invitation to the user's own name, without its link."""
    rows = Invitation.objects.to_user(request.user, timezone.now())
    return _answered(request, get_object_or_404(rows, pk=invitation_id))


def _is_no(request: HttpRequest) -> bool:
    return request.POST.get("answer") != "accept"


def _answered(request: PageRequest, found: Invitation) -> HttpResponse:
    now = timezone.now()
    try:
        if _is_no(request):
            invitations.decline(invitation=found, now=now)
            messages.success(request, _("Invitation declined."))
            return redirect("home")
        invitations.accept(invitation=found, user=request.user, now=now)
    except NotFound:
        return render(request, "registration/invitation.html", status=403)
    except Conflict:
        messages.error(request, _("You or someone with this name is already a member there."))
        return redirect("home")
    messages.success(request, _("You are now a member of %(space)s.") % {"space": found.space.name})
    return redirect("playground", found.space.slug)


def _created(request: HttpRequest, found: Invitation, password: str) -> HttpResponse:
    try:
        user = invitations.accept_as_new(invitation=found, password=password, now=timezone.now())
    except (NotFound, Conflict):
        return render(request, "registration/invitation.html", status=403)
    said = _("Your account was created. Your user name is %(name)s.")
    messages.success(request, said % {"name": user.get_username()})
    return enter(request, user)


def _shown(request: HttpRequest, found: Invitation, token: str, **more: object) -> HttpResponse:
    context = {"invitation": found, "token": token, **more}
    return render(request, "registration/invitation.html", context)
