"""The page of the second factor: turn it on, get new recovery codes, turn it off."""

from typing import Any

import segno
from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from memory.access import second_factor as services
from memory.access.authentication import Access
from memory.access.confirmation import refusal, too_many_failures, wrong_code
from memory.access.failures import TooManyFailures, address_of
from memory.access.pages import PageRequest, space_page
from memory.errors import Conflict, InvalidArguments
from memory.models import SecondFactor

_SALT = "second factor"
_OPEN_FOR = 3600  # seconds in which the form can be sent


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@space_page("read")
def second_factor(request: PageRequest, access: Access) -> HttpResponse:
    """Show the picture for the app; turn the second factor on with the code that the app shows."""
    if not settings.EBB_LOCAL_LOGIN:
        raise Http404
    if SecondFactor.objects.filter(user=request.user).exists():
        return _shown(request)
    if request.method == "GET":
        return _setup(request, services.new_secret())
    secret = _secret_in(request)
    try:
        codes = services.turn_on(
            user=request.user,
            secret=secret,
            code=request.POST.get("code", ""),
            address=address_of(request),
            now=timezone.now(),
        )
    except InvalidArguments:
        return _setup(request, secret, error=wrong_code())
    except TooManyFailures:
        return _setup(request, secret, error=too_many_failures())
    except Conflict:  # turned on in another window
        return _shown(request)
    return _shown(request, codes=codes)


@sensitive_post_parameters()
@require_POST
@space_page("read")
def renew(request: PageRequest, access: Access) -> HttpResponse:
    """Show new recovery codes in exchange for a valid code."""
    if error := refusal(request, user=request.user, proof="code", now=timezone.now()):
        return _shown(request, error=error)
    return _shown(request, codes=services.renew_recovery_codes(user=request.user))


@sensitive_post_parameters()
@require_POST
@space_page("read")
def turn_off(request: PageRequest, access: Access) -> HttpResponse:
    """Turn the second factor off in exchange for a valid code."""
    if error := refusal(request, user=request.user, proof="code", now=timezone.now()):
        return _shown(request, error=error)
    services.turn_off(user=request.user, actor=access.actor, now=timezone.now())
    messages.success(request, _("The second factor is off."))
    return redirect("account", access.space.slug)


def _secret_in(request: PageRequest) -> str:
    """Return the secret that the form got with its picture, or a new one."""
    try:
        sent = signing.loads(request.POST.get("setup", ""), salt=_SALT, max_age=_OPEN_FOR)
    except signing.BadSignature:
        return services.new_secret()
    return str(sent["secret"]) if sent["user"] == request.user.pk else services.new_secret()


def _setup(request: PageRequest, secret: str, *, error: str = "") -> HttpResponse:
    picture = segno.make(services.setup_address(secret, request.user), micro=False)
    context = {
        "picture": picture.svg_data_uri(scale=4, border=3, dark="#000", light="#fff"),
        "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        "setup": signing.dumps({"user": request.user.pk, "secret": secret}, salt=_SALT),
        "error": error,
    }
    return render(request, "memory/access/second_factor_setup.html", context)


def _shown(request: PageRequest, **more: Any) -> HttpResponse:
    factor = SecondFactor.objects.filter(user=request.user).first()
    return render(request, "memory/access/second_factor.html", {"factor": factor, **more})
