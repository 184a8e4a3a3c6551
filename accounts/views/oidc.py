"""Sign-in at the organisation's identity provider (OpenID Connect), by django-allauth.

From the account page, a user connects the provider's account with their own. That takes a POST and,
after the return, a password or a code.
"""

from typing import Any

import jwt
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.base import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect
from requests import RequestException

from accounts.sign_in.identity_provider import failed

# An answer that is not JSON, or JSON of another shape.
_NONSENSE = (RequestException, ValueError, LookupError, TypeError, AttributeError)
# In the session: a provider that does not know PKCE gives anyone the ID token of a stolen code.
_NONCE = "oidc_nonce"
_PUBLIC_KEY = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]


class _Provider(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # allauth has no types
    """Also checks signature, issuer and nonce, and that all claims are of one person."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """Return the provider's addresses. Raises OAuth2Error for another issuer than ours."""
        config: dict[str, Any] = super().openid_config
        if config["issuer"].rstrip("/") != settings.EBB_OIDC_ISSUER.rstrip("/"):
            raise RequestException(
                f"The issuer is {config['issuer']}. Set EBB_OIDC_ISSUER to this."
            )
        return config

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: Any, response: Any, **more: Any
    ) -> Any:
        """Return the sign-in of the person for whom the provider vouches. Raises OAuth2Error."""
        try:
            claims = self._signed_claims(app, response.get("id_token", ""))
        except jwt.PyJWTError as error:
            raise OAuth2Error(f"The ID token is wrong: {error}") from error
        if claims.get("azp", app.client_id) != app.client_id:
            raise OAuth2Error("The ID token is for another client.")
        if claims.get("nonce", "") != request.session.get(_NONCE):
            raise OAuth2Error("The ID token is for another browser.")
        if "userinfo_endpoint" in self.openid_config:
            more_claims = self._fetch_user_info(token.token)
            if more_claims.get("sub") != claims["sub"]:
                raise OAuth2Error("The userinfo is about another person.")
            claims = {**more_claims, **claims}
        login = self.get_provider().sociallogin_from_response(request, claims)
        groups = claims.get(settings.EBB_OIDC_GROUPS_CLAIM) or []
        login.account.extra_data = {"groups": [groups] if isinstance(groups, str) else groups}
        login.email_addresses = []  # the provider may not have checked them
        return login

    def _signed_claims(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        # allauth itself checks no signature, and its function for that needs a key id.
        wanted = jwt.get_unverified_header(id_token).get("kid")
        with get_adapter().get_requests_session() as session:
            published = session.get(self.openid_config["jwks_uri"]).json()
        keys = jwt.PyJWKSet.from_dict(published).keys
        key = next((one for one in keys if wanted in {None, one.key_id}), None)
        if key is None:
            raise OAuth2Error("The ID token is signed with an unknown key.")
        return jwt.decode(
            id_token,
            key.key,
            algorithms=_PUBLIC_KEY,
            audience=app.client_id,
            issuer=self.openid_config["issuer"],
            options={"require": ["exp", "iat", "sub"]},
        )

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Return the address that is registered at the provider."""
        return request.build_absolute_uri(reverse("oidc_callback"))


@never_cache
@require_safe
def oidc_start(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider to sign in. Any page can lead here, so it does nothing for
    a user who is logged in."""
    if not settings.EBB_OIDC_ISSUER:
        return redirect("account_login")
    next_url = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(next_url, allowed_hosts={request.get_host()}):
        next_url = ""
    if request.user.is_authenticated:
        return redirect(next_url or settings.LOGIN_REDIRECT_URL)
    return _to_provider(request, AuthProcess.LOGIN, next_url)


@never_cache
@require_POST
def oidc_connect(request: HttpRequest) -> HttpResponse:
    """Send the browser of a logged-in user to the provider, to connect the account there."""
    if not settings.EBB_OIDC_ISSUER or not request.user.is_authenticated:
        return redirect("account_login")
    answer = _to_provider(request, AuthProcess.CONNECT)
    # Chromium applies our pages' form-action to the redirect of a form.
    is_sent = isinstance(answer, HttpResponseRedirect) and "HX-Request" in request.headers
    return HttpResponseClientRedirect(answer.headers["Location"]) if is_sent else answer


@never_cache
@require_safe
def oidc_callback(request: HttpRequest) -> HttpResponse:
    """Log in the person who returns from the provider, or ask the logged-in user to confirm that
    they are to be connected."""
    if not settings.EBB_OIDC_ISSUER:
        return redirect("account_login")
    view = OAuth2CallbackView.adapter_view(_Provider(request, settings.EBB_OIDC_ISSUER))
    try:
        answer: HttpResponse = view(request)
    except (*_NONSENSE, IntegrityError) as error:
        return failed(request, error, status=503)
    return answer


def _to_provider(request: HttpRequest, process: str, next_url: str = "") -> HttpResponse:
    provider = get_adapter().get_provider(request, settings.EBB_OIDC_ISSUER)
    provider.oauth2_adapter_class = _Provider
    nonce = {"nonce": request.session.setdefault(_NONCE, get_random_string(32))}
    try:
        answer: HttpResponse = provider.redirect(
            request, process, next_url=next_url or None, auth_params=nonce
        )
    except _NONSENSE as error:
        return failed(request, error, status=503)
    return answer
