"""The account page: what a user logs in with, time zone, and sessions. django-allauth has the pages
for changes.
"""

from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import Access
from accounts.models import Space
from accounts.pages import PageRequest, logged_in, space_page
from accounts.sign_in.sessions import end_other_sessions, end_session, open_sessions
from accounts.sign_in.user_zone import set_zone
from foundation.errors import InvalidArguments
from foundation.moments import zones_of_places


@require_safe
@logged_in
def own_account(request: PageRequest) -> HttpResponse:
    """Redirect to the account page in the user's first space."""
    space = Space.objects.of_member(request.user).order_by("name", "pk").first()
    return redirect("account", space.slug) if space else redirect("home")


@require_safe
@space_page("read")
def account(request: PageRequest, access: Access) -> HttpResponse:
    """Show the user's account."""
    context = {
        "has_passwords": settings.EBB_LOCAL_LOGIN,
        "has_factor": is_mfa_enabled(request.user),
        "provider": settings.EBB_OIDC_NAME if settings.EBB_OIDC_ISSUER else "",
        "is_connected": SocialAccount.objects.filter(
            user=request.user, provider=settings.EBB_OIDC_ISSUER
        ).exists(),
        "sessions": open_sessions(request.user),
        "current": request.session.session_key,
        "zones": zones_of_places(),
    }
    return render(request, "accounts/account.html", context)


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


@require_POST
@space_page("read")
def end(request: PageRequest, access: Access, session_id: int) -> HttpResponse:
    """Log another browser of the user out."""
    end_session(user=request.user, session_id=session_id, keep=request.session.session_key)
    messages.success(request, _("Session logged out."))
    return redirect("account", access.space.slug)


@require_POST
@space_page("read")
def end_others(request: PageRequest, access: Access) -> HttpResponse:
    """Log the user out of all browsers except this one."""
    end_other_sessions(user=request.user, keep=request.session.session_key)
    messages.success(request, _("All other sessions logged out."))
    return redirect("account", access.space.slug)
