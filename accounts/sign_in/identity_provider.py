"""The organisation's identity provider, as django-allauth asks for it: settings, requests, and
accounts of its people.

Ebb recognises a person by the provider's id, never by name or mail address. Otherwise anyone who
can choose these at the provider could take over an account.
"""

import logging
import threading
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from requests import ConnectionError as NoConnection
from requests import Response, Session

from accounts.models import AuditAction, User
from accounts.sign_in.identities import closed, free_name, note_person
from foundation.actors import SYSTEM
from foundation.database.connections import release_connection

log = logging.getLogger(__name__)

TIMEOUT = 10.0  # seconds for each request to the provider

# Requests to a provider that does not answer must not take all threads of the web process.
_AT_ONCE = threading.BoundedSemaphore(2)
_PATIENCE = 5.0  # seconds


class _Session(Session):
    """Sends few requests at once, and holds no database connection meanwhile."""

    def request(self, *args: Any, **options: Any) -> Response:
        """Return the provider's answer. Raises RequestException."""
        release_connection()
        if not _AT_ONCE.acquire(timeout=_PATIENCE):
            raise NoConnection("Too many sign-ins are waiting for the provider.")
        try:
            return super().request(*args, **{"timeout": TIMEOUT, **options})
        finally:
            _AT_ONCE.release()


class Identities(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Knows the provider of the settings, and makes accounts for its people."""

    def list_apps(self, request: HttpRequest, **filters: Any) -> list[SocialApp]:
        """Return the provider of the settings, if there is one. Its id is the issuer, so that
        persons of another provider are others."""
        if not settings.EBB_OIDC_ISSUER:
            return []
        app = SocialApp(
            provider="openid_connect",
            provider_id=settings.EBB_OIDC_ISSUER,
            name=settings.EBB_OIDC_NAME,
            client_id=settings.EBB_OIDC_CLIENT_ID,
            secret=settings.EBB_OIDC_CLIENT_SECRET,
        )
        app.settings = {
            "server_url": settings.EBB_OIDC_ISSUER.rstrip("/"),
            "scope": settings.EBB_OIDC_SCOPES.split(),
            "oauth_pkce_enabled": True,
        }
        return [app]

    def get_requests_session(self) -> Session:
        """Return the session for requests to the provider."""
        return _Session()

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Return True if a person without an account gets one, else show the refusal."""
        if not settings.EBB_OIDC_CREATE_USERS:
            raise ImmediateHttpResponse(closed(request))
        return True

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: Any) -> User:
        """Name the account of a new person."""
        user: User = sociallogin.user
        wish = data.get("username") or data.get("email") or sociallogin.account.uid
        user.username = free_name(str(wish))
        user.email = str(data.get("email") or "")[:254]
        # The provider may not have checked an address, so it does not open invitations.
        user.is_vouched = "@" not in user.username
        return user

    @transaction.atomic
    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """Create the account of a new person."""
        user: User = super().save_user(request, sociallogin, form)
        note_person(AuditAction.ACCOUNT_CREATED, sociallogin, actor=SYSTEM)
        return user

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        """Return the address of the account page."""
        return reverse("mfa_index")

    def on_authentication_error(self, request: HttpRequest, provider: Any, **more: Any) -> None:
        """Show the page of a failed sign-in. The reason is for the log only."""
        raise ImmediateHttpResponse(failed(request, more.get("exception") or more.get("error")))


def failed(request: HttpRequest, reason: object, *, status: int = 403) -> HttpResponse:
    """Return the page of a failed sign-in; with 503, the provider does not answer."""
    log.warning("Sign-in at %s failed: %r", settings.EBB_OIDC_ISSUER, reason)
    context = {"provider": settings.EBB_OIDC_NAME, "is_unavailable": status == 503}
    return render(request, "socialaccount/authentication_error.html", context, status=status)
