"""The pages of a sign-in at the organisation's identity provider: sending the browser there, and
handling its return.

From the account page, the same pages connect the provider's account with the user's own.
"""

import logging

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.identity_provider import (
    OutdatedSignIn,
    ProviderUnavailable,
    SignInRefused,
    person_of,
    send_to_provider,
)
from config.login import enter, next_in
from memory.access.identities import GroupRole, Person, apply_roles, connect, user_of
from memory.errors import Conflict, Forbidden, NotFound
from memory.models import Role, User

log = logging.getLogger(__name__)

_PLAN = "sign_in"  # what to do when the browser returns, in the session


@never_cache
@require_safe
def oidc_start(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider. A logged-in user connects the account there with theirs."""
    if not settings.EBB_OIDC_ISSUER:
        return redirect("login")
    try:
        answer = send_to_provider(
            request, back=request.build_absolute_uri(reverse("oidc_callback"))
        )
    except ProviderUnavailable as error:
        return _failed(request, "unavailable", error, status=503)
    request.session[_PLAN] = {"connects": request.user.pk, "next": next_in(request)}
    return answer


@never_cache
@require_safe
def oidc_callback(request: HttpRequest) -> HttpResponse:
    """Log in the person who returns from the provider, or connect them with the logged-in user."""
    if not settings.EBB_OIDC_ISSUER:
        return redirect("login")
    plan = request.session.pop(_PLAN, None)
    if plan is None or plan["connects"] != request.user.pk:
        return _failed(
            request,
            "outdated",
            "This browser did not start this sign-in, or started it as another user.",
        )
    try:
        person = person_of(request)
    except OutdatedSignIn as error:
        return _failed(request, "outdated", error)
    except SignInRefused as error:
        return _failed(request, "refused", error)
    except ProviderUnavailable as error:
        return _failed(request, "unavailable", error, status=503)
    if plan["connects"]:
        return _connect(request, person, user_id=plan["connects"])
    return _sign_in(request, person, plan["next"])


def _sign_in(request: HttpRequest, person: Person, next_url: str) -> HttpResponse:
    now = timezone.now()
    try:
        user = user_of(person=person, may_create=settings.EBB_OIDC_CREATE_USERS, now=now)
    except (NotFound, Forbidden) as error:
        return _failed(request, "unknown", error)
    except Conflict as error:
        return _failed(request, "outdated", error)
    rules = [GroupRole(group, space, Role(role)) for group, space, role in settings.EBB_OIDC_ROLES]
    apply_roles(user=user, groups=person.groups, rules=rules, now=now)
    # Django wants a backend, which finds the user of a session; any of ours does.
    return enter(request, user, backend=settings.AUTHENTICATION_BACKENDS[0], next_url=next_url)


def _connect(request: HttpRequest, person: Person, *, user_id: int) -> HttpResponse:
    try:
        connect(user=User.objects.get(pk=user_id), person=person, now=timezone.now())
    except Conflict as error:
        return _failed(request, "taken", error, status=409)
    messages.success(
        request, _("You can now sign in with %(name)s.") % {"name": settings.EBB_OIDC_NAME}
    )
    return redirect(settings.LOGIN_REDIRECT_URL)


def _failed(request: HttpRequest, kind: str, reason: object, *, status: int = 403) -> HttpResponse:
    """Return the page of a failed sign-in. The reason is for the log only."""
    log.warning("Sign-in at %s failed: %s", settings.EBB_OIDC_ISSUER, reason)
    context = {"kind": kind, "provider": settings.EBB_OIDC_NAME}
    return render(request, "registration/oidc_failed.html", context, status=status)
