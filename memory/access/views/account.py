"""The account page: password, second factor, sign-in at the identity provider, time zone, and
sessions.
"""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import SetPasswordForm
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from memory.access.authentication import Access
from memory.access.confirmation import ChangePassword
from memory.access.pages import PageRequest, space_page
from memory.access.sessions import end_other_sessions, start_session
from memory.access.user_zone import set_zone
from memory.access.views.sessions import listed_sessions
from memory.errors import InvalidArguments
from memory.models import Identity, SecondFactor, User
from memory.moments import zones_of_places


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@space_page("read")
def account(request: PageRequest, access: Access) -> HttpResponse:
    """Set the first password of an invited user, or change a password with the old one."""
    user = request.user
    sent = request.POST if request.method == "POST" and settings.EBB_LOCAL_LOGIN else None
    form: SetPasswordForm[User] = (
        ChangePassword(user, sent, request=request)
        if user.has_usable_password()
        else SetPasswordForm(user, sent)
    )
    if form.is_valid():
        form.save()
        update_session_auth_hash(request, user)  # keeps this session, ends the others
        start_session(request, user=user, now=timezone.now())
        end_other_sessions(user=user, keep=request.session.session_key)
        messages.success(request, _("Password saved."))
        return redirect("account", access.space.slug)
    context: dict[str, Any] = {
        "form": form,
        "has_passwords": settings.EBB_LOCAL_LOGIN,
        "factor": SecondFactor.objects.filter(user=user).first(),
        "provider": settings.EBB_OIDC_NAME if settings.EBB_OIDC_ISSUER else "",
        "is_connected": Identity.objects.filter(user=user).exists(),
        "sessions": listed_sessions(request),
        "zones": zones_of_places(),
    }
    return render(request, "memory/access/account.html", context)


@require_POST
@space_page("read")
def zone(request: PageRequest, access: Access) -> HttpResponse:
    """Set the user's time zone; "" takes it from the browser at the next login."""
    try:
        set_zone(user=request.user, name=request.POST.get("time_zone", ""))
    except InvalidArguments:
        messages.error(request, _("Choose one of the time zones."))
    else:
        messages.success(request, _("Saved."))
    return redirect("account", access.space.slug)
