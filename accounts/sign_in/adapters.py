"""Adapters of django-allauth, which logs people in: for accounts, and for second factors."""

import base64
import secrets
from io import BytesIO
from ipaddress import ip_address
from typing import Any

import segno
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import perform_login
from allauth.core import context
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from accounts.models import User
from accounts.sign_in.identities import apply_roles, closed
from accounts.sign_in.user_zone import take_zone
from foundation.sealing import Unreadable, seal, unseal


def enter(request: HttpRequest, user: User) -> HttpResponse:
    """Log in a user whose link was right and open the first space, or redirect to the second
    factor."""
    entered: HttpResponse = perform_login(request, user, email_verification="none")
    return entered


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Logs people in, and asks them again before a change that matters."""

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the sender's address. IPv4 keeps its own form, because allauth counts IPv6
        addresses by network."""
        try:
            address = ip_address(request.META.get("REMOTE_ADDR", ""))
        except ValueError:
            return "0.0.0.0"  # noqa: S104 - a mark for an unknown sender, not bound
        return str(getattr(address, "ipv4_mapped", None) or address)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # allauth would count by the Host header too, which the sender chooses.
        return str(credentials["username"]).casefold()

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt. Raises ValidationError after too many, or if nobody logs in by a
        password."""
        if not settings.EBB_LOCAL_LOGIN and not request.user.is_authenticated:
            raise self.validation_error("username_password_mismatch")
        by_address = ratelimit.consume(request, app="allauth.account", action="login_address")
        if not by_address:
            raise self.validation_error("too_many_login_attempts")
        super().pre_authenticate(request, **credentials)
        self._login_failed_rl_usage.usage += by_address.usage  # taken back if the password is right

    def login(self, request: HttpRequest, user: User) -> None:
        """Log the user in, and take the browser's time zone."""
        super().login(request, user)
        take_zone(request, user=user)

    def post_login(
        self, request: HttpRequest, user: User, *, signal_kwargs: Any, **more: Any
    ) -> HttpResponse:
        """Give the user the roles of the groups that the identity provider named."""
        if person := (signal_kwargs or {}).get("sociallogin"):
            apply_roles(user=user, groups=person.account.extra_data["groups"])
        entered: HttpResponse = super().post_login(
            request, user, signal_kwargs=signal_kwargs, **more
        )
        return entered

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Return the page of an account that is switched off."""
        return closed(request)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: people come by an invitation or from the identity provider."""
        return False

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Return the address of the account page."""
        return reverse("mfa_index")

    def reauthenticate(self, user: User, password: str) -> bool:
        """Return whether the password is right. If it was hashed again, the session goes on."""
        stored, is_right = user.password, super().reauthenticate(user, password)
        user.refresh_from_db(fields=["password"])
        if user.password != stored:
            update_session_auth_hash(context.request, user)
        return bool(is_right)

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Return how the user confirms a change: by a code, else by the password, else not."""
        ways: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        codes = [way for way in ways if way["id"] == "mfa_reauthenticate"]
        return codes or ways

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Return whether the user has something to confirm a change with."""
        return bool(self.get_reauthentication_methods(context.request.user))


class SecondFactors(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Seals the secrets of second factors."""

    def encrypt(self, text: str) -> str:
        """Return the secret as it is stored."""
        return seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; a random one, for which no code is right, if SECRET_KEY is lost."""
        try:
            return unseal(encrypted_text)
        except Unreadable:
            return base64.b32encode(secrets.token_bytes(20)).decode()

    def get_totp_label(self, user: User) -> str:
        """Return the name that the app shows."""
        return user.get_username()

    def build_totp_svg(self, url: str) -> str:
        """Return the QR code of an otpauth: address as SVG."""
        picture = BytesIO()
        code = segno.make(url, micro=False)
        code.save(picture, kind="svg", scale=4, border=3, dark="#000", light="#fff")
        return picture.getvalue().decode()

    def is_mfa_enabled(self, user: Any, types: Any = None) -> bool:
        """Return whether the user has a second factor; never if only the provider logs in."""
        return settings.EBB_LOCAL_LOGIN and super().is_mfa_enabled(user, types)
