"""The pages of a sign-in at the organisation's identity provider: sending the browser there, and
handling its return.

From the account page, a user connects the provider's account with their own. That takes a POST and,
after the return, a password or a code.
"""

import logging
import secrets

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from config.identity_provider import (
    OutdatedSignIn,
    ProviderUnavailable,
    SignInRefused,
    person_of,
    send_to_provider,
)
from config.login import enter, next_in
from memory.access.confirmation import proof_of, refusal
from memory.access.identities import GroupRole, Person, apply_roles, connect, user_of
from memory.access.pages import too_many
from memory.errors import Conflict, Forbidden, NotFound, RateLimited
from memory.models import Role, User

log = logging.getLogger(__name__)

# In the session: what the browser was sent to the provider for, and whom it came back as.
_PLAN = "sign_in"
_TO_CONNECT = "to_connect"
_CONFIRM_WITHIN = 10 * 60  # seconds


@never_cache
@require_safe
def oidc_start(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider to sign in. Any page can lead here, so it does nothing for
    a user who is logged in."""
    if not settings.EBB_OIDC_ISSUER:
        return redirect("login")
    if request.user.is_authenticated:
        return redirect(next_in(request) or settings.LOGIN_REDIRECT_URL)
    return _to_provider(request, next_url=next_in(request))


@never_cache
@require_POST
def oidc_connect(request: HttpRequest) -> HttpResponse:
    """Send the browser of a logged-in user to the provider, to connect the account there."""
    if not settings.EBB_OIDC_ISSUER or not request.user.is_authenticated:
        return redirect("login")
    answer = _to_provider(request)
    # Chromium applies our pages' form-action to the redirect of a form.
    is_sent = isinstance(answer, HttpResponseRedirect) and "HX-Request" in request.headers
    return HttpResponseClientRedirect(answer.headers["Location"]) if is_sent else answer


@never_cache
@require_safe
def oidc_callback(request: HttpRequest) -> HttpResponse:
    """Log in the person who returns from the provider, or ask the logged-in user whether to connect
    them."""
    if not settings.EBB_OIDC_ISSUER:
        return redirect("login")
    plan = request.session.get(_PLAN, {"state": "", "user": 0, "next": ""})
    if plan["state"] != request.GET.get("state") or plan["user"] != request.user.pk:
        reason = "This browser did not start this sign-in, or started it as another user."
        return _failed(request, "outdated", reason)
    del request.session[_PLAN]
    try:
        person = person_of(request)
    except OutdatedSignIn as error:
        return _failed(request, "outdated", error)
    except SignInRefused as error:
        return _failed(request, "refused", error)
    except ProviderUnavailable as error:
        return _failed(request, "unavailable", error, status=503)
    if plan["user"] is None:
        return _sign_in(request, person, plan["next"])
    request.session[_TO_CONNECT] = {
        "user": plan["user"],
        "person": {"issuer": person.issuer, "subject": person.subject, "name": person.name},
        "until": timezone.now().timestamp() + _CONFIRM_WITHIN,
    }
    return redirect("oidc_confirm")


@sensitive_post_parameters("password", "code")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def oidc_confirm(request: HttpRequest) -> HttpResponse:
    """Ask for the code or password of the logged-in user, and connect the person with it."""
    waiting = request.session.get(_TO_CONNECT, {"user": 0, "until": 0})
    now = timezone.now()
    user = User.objects.filter(pk=request.user.pk or 0).first()
    if user is None or waiting["user"] != user.pk or now.timestamp() > waiting["until"]:
        return _failed(request, "outdated", "No sign-in waits for a password in this browser.")
    person, proof, error = Person(**waiting["person"]), proof_of(user), ""
    if request.method == "POST":
        try:
            error = refusal(request, user=user, proof=proof, now=now) if proof else ""
        except RateLimited as busy:
            return too_many(request, busy)
        if not error:
            del request.session[_TO_CONNECT]
            return _connect(request, person, user=user)
    context = {"proof": proof, "person": person, "provider": settings.EBB_OIDC_NAME, "error": error}
    return render(request, "registration/oidc_confirm.html", context)


def _to_provider(request: HttpRequest, *, next_url: str = "") -> HttpResponse:
    """Return the redirect to the provider. The session notes for whom: its answer is good for this
    user, or for a sign-in if there is none."""
    state = secrets.token_urlsafe(32)
    back = request.build_absolute_uri(reverse("oidc_callback"))
    try:
        answer = send_to_provider(request, back=back, state=state)
    except ProviderUnavailable as error:
        return _failed(request, "unavailable", error, status=503)
    request.session[_PLAN] = {"state": state, "user": request.user.pk, "next": next_url}
    return answer


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


def _connect(request: HttpRequest, person: Person, *, user: User) -> HttpResponse:
    try:
        connect(user=user, person=person, now=timezone.now())
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
