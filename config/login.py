"""The login pages: password, login link, and the code of a second factor.

All ways to log in end in `enter`. Passwords and links lead to the second factor first, if the user
has one.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from sesame.utils import get_user

from memory.access.confirmation import refusal
from memory.access.sessions import start_session
from memory.access.user_zone import take_zone
from memory.models import SecondFactor, User

ALWAYS = 100 * 365 * 24 * 3600  # seconds
CODE_WITHIN = 10 * 60  # seconds between the password and the code
_HALF = "half_logged_in"


class LoginPage(LoginView):
    """The page for name and password, with the button of the identity provider."""

    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return the context with the ways to log in: `provider` is a name or ""."""
        provider = settings.EBB_OIDC_NAME if settings.EBB_OIDC_ISSUER else ""
        ways = {"provider": provider, "has_passwords": settings.EBB_LOCAL_LOGIN}
        return super().get_context_data(**kwargs) | ways

    def form_valid(self, form: AuthenticationForm) -> HttpResponseRedirect:
        """Log the user in, or ask for the second factor."""
        return log_in(self.request, form.get_user(), next_url=self.get_redirect_url())


def log_in(request: HttpRequest, user: Any, *, next_url: str = "") -> HttpResponseRedirect:
    """Log in a user whose password or link was right, or redirect to the second factor."""
    if not SecondFactor.objects.filter(user=user).exists():
        return enter(request, user, next_url=next_url)
    request.session[_HALF] = {
        "user": user.pk,
        "backend": user.backend,
        "until": timezone.now().timestamp() + CODE_WITHIN,
        "next": next_url,
    }
    return redirect("login_code")


def enter(
    request: HttpRequest, user: Any, *, backend: str | None = None, next_url: str = ""
) -> HttpResponseRedirect:
    """Log a user in and open the page that was asked for, or the first space. `backend` is needed
    unless Django has just authenticated the user."""
    request.session.pop(_HALF, None)
    login(
        request, user, backend=backend
    )  # sets the time of the last login, which ends a login link
    start_session(request, user=user, now=timezone.now())
    take_zone(request, user=user)
    return HttpResponseRedirect(next_url or resolve_url(settings.LOGIN_REDIRECT_URL))


def next_in(request: HttpRequest) -> str:
    """Return the page to open after the login, "" if it is not one of ours."""
    wish = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        wish, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wish if is_ours else ""


@sensitive_post_parameters("code")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def login_code(request: HttpRequest) -> HttpResponse:
    """Ask for a code of the authenticator app, or a recovery code, and log in with it."""
    half = request.session.get(_HALF, {"user": 0, "until": 0})
    now = timezone.now()
    user = User.objects.filter(pk=half["user"], is_active=True).first()
    if user is None or now.timestamp() > half["until"]:
        request.session.pop(_HALF, None)
        return redirect("login")
    error = ""
    if request.method == "POST":
        error = refusal(request, user=user, proof="code", now=now)
        if not error:
            return enter(request, user, backend=half["backend"], next_url=half["next"])
    return render(request, "registration/login_code.html", {"error": error})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def login_link(request: HttpRequest) -> HttpResponse:
    """Show the button of a login link; log in when it is pressed. A used or expired link is
    answered by 403, with the reason.

    Mail programs and chats open links to check or preview them, so opening it changes nothing.
    """
    form = request.POST if request.method == "POST" else request.GET
    token = form.get("sesame", "")
    user: Any = get_user(token, update_last_login=False) if token else None
    if user is None:
        context = {"is_expired": _is_expired(token)}
        return render(request, "registration/login_link.html", context, status=403)
    if request.method == "POST":
        return log_in(request, user)
    return render(request, "registration/login_link.html", {"token": token, "name": user.username})


def _is_expired(token: str) -> bool:
    """Return whether the link was valid but is too old. Nothing tells a used link from a wrong
    one: its signature contains the time of the last login."""
    return bool(token) and get_user(token, update_last_login=False, max_age=ALWAYS) is not None
