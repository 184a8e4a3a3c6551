"""Asks for a password or a code, on every page that wants one: with the limits of the login."""

from datetime import datetime
from typing import Any

from django.contrib.auth.forms import PasswordChangeForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from memory.access.failures import TooManyFailures, address_of
from memory.access.passwords import is_password_of
from memory.access.second_factor import spend_code
from memory.models import SecondFactor, User


def proof_of(user: User) -> str:
    """Return what the user can prove their identity with: "code", else "password", or "" for an
    account that has neither."""
    if SecondFactor.objects.filter(user=user).exists():
        return "code"
    return "password" if user.has_usable_password() else ""


def refusal(request: HttpRequest, *, user: User, proof: str, now: datetime) -> str:
    """Return why the field `proof` of the request's form, "code" or "password", is refused; "" if
    it is right. A right code is then used up.

    Raises RateLimited if too many passwords are being checked.
    """
    typed = request.POST.get(proof, "")
    try:
        if proof == "code":
            address = address_of(request)
            is_right = spend_code(user=user, code=typed, address=address, now=now)
        else:
            is_right = is_password_of(user, typed, request=request)
    except TooManyFailures:
        return too_many_failures()
    if is_right:
        return ""
    return wrong_code() if proof == "code" else _("Wrong password.")


def wrong_code() -> str:
    """Return the sentence for a wrong code."""
    return _("This code is wrong or was already used. Enter the newest code from your app.")


def too_many_failures() -> str:
    """Return the sentence for an account or address that is locked."""
    return _("Too many failed attempts. Try again in 15 minutes.")


class ChangePassword(PasswordChangeForm):
    """Django's form for a new password, with the limits of the login."""

    def __init__(
        self, user: User, data: Any = None, *, request: HttpRequest, **options: Any
    ) -> None:
        super().__init__(user, data, **options)
        self.request = request

    def clean_old_password(self) -> str:
        """Return the old password. Raises ValidationError if it is wrong or the account locked."""
        old: str = self.cleaned_data["old_password"]
        try:
            if is_password_of(self.user, old, request=self.request):
                return old
        except TooManyFailures:
            raise ValidationError(too_many_failures()) from None
        raise ValidationError(self.error_messages["password_incorrect"])
