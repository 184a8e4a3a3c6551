"""The login link, and the addresses of django-allauth's pages that Ebb uses."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account import views as accounts
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from sesame.utils import get_user

from accounts.sign_in.adapters import enter
from accounts.views.account import own_account

ALWAYS = 100 * 365 * 24 * 3600  # seconds

View = Callable[..., HttpResponseBase]


class LoginPage(accounts.LoginView):  # type: ignore[misc]  # allauth has no types
    """The page for name and password, with the button of the identity provider."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return the context with the ways to log in: `provider` is a name or ""."""
        provider = settings.EBB_OIDC_NAME if settings.EBB_OIDC_ISSUER else ""
        ways = {"provider": provider, "has_passwords": settings.EBB_LOCAL_LOGIN}
        return {**super().get_context_data(**kwargs), **ways, "next": self.get_next_url() or ""}


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
        return enter(request, user)
    return render(request, "registration/login_link.html", {"token": token, "name": user.username})


def _is_expired(token: str) -> bool:
    """Return whether the link was valid but is too old. Nothing tells a used link from a wrong
    one: its signature contains the time of the last login."""
    return bool(token) and get_user(token, update_last_login=False, max_age=ALWAYS) is not None


def _page(address: str, name: str, page: Any) -> URLPattern:
    """Return the address of a page that exists only where Ebb has passwords. A change is confirmed
    by one in any case."""
    shown: View = page.as_view()

    @wraps(shown)
    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.EBB_LOCAL_LOGIN and name != "account_reauthenticate":
            raise Http404
        return shown(request, *args, **kwargs)

    return path(address, never_cache(sensitive_post_parameters()(view)), name=name)


_PAGES = (
    ("login/code/", "mfa_authenticate", factors.AuthenticateView),
    ("account/confirm/", "account_reauthenticate", accounts.ReauthenticateView),
    ("account/confirm/code/", "mfa_reauthenticate", factors.ReauthenticateView),
    ("account/password/", "account_change_password", accounts.PasswordChangeView),
    ("account/password/first/", "account_set_password", accounts.PasswordSetView),
    ("account/factor/", "mfa_activate_totp", totp.ActivateTOTPView),
    ("account/factor/off/", "mfa_deactivate_totp", totp.DeactivateTOTPView),
    ("account/factor/codes/", "mfa_view_recovery_codes", codes.ViewRecoveryCodesView),
    ("account/factor/codes/new/", "mfa_generate_recovery_codes", codes.GenerateRecoveryCodesView),
)  # fmt: skip

# allauth looks its pages up by these names.
urlpatterns = [
    path("login/", LoginPage.as_view(), name="account_login"),
    path("login/link/", login_link, name="login_link"),
    path("account/", own_account, name="mfa_index"),
    *(_page(*page) for page in _PAGES),
]
