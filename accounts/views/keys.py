"""The page of a space's keys: create, rotate and revoke, with the activity log below."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.keys import services as services
from accounts.keys.connecting import first_texts
from accounts.models import ApiKey, AuditEntry, Role, Scope, WebhookEvent
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict, FieldError, InvalidArguments
from foundation.http.pagination import keyset

ENTRIES = 20
GRACES = {
    "24": _("works for 24 more hours"),
    "1": _("works for one more hour"),
    "168": _("works for 7 more days"),
    "0": _("stops working now"),
}
LIFETIMES = {
    "": _("never"),
    "7": _("in 7 days"),
    "30": _("in 30 days"),
    "90": _("in 90 days"),
    "365": _("in a year"),
}
SCOPES = (
    (Scope.READ, _("read"), _("view and search")),
    (Scope.WRITE, _("write"), _("edit and chat")),
    (Scope.ADMIN, _("admin"), _("manage settings and keys")),
)
# Labels of the details of an audit entry, by their names.
_TOLD = {
    "scopes": _("scopes"),
    "name": _("name"),
    "expires_at": _("expires"),
    "rate_limit": _("rate limit"),
    "learns": _("learning"),
    "previous_until": _("previous secret until"),
    "user_id": _("user"),
    "role": _("role"),
    "events": _("events"),
    "begun_at": _("started"),
    "before": _("before"),
}
# Labels of the values of details.
_LABELS = {
    "scopes": Scope.choices,
    "events": WebhookEvent.choices,
    "role": Role.choices,
    "before": Role.choices,
}

# What to do about a refused field.
_WRONG = {
    "scopes": _("Choose at least one permission."),
    "name": _("Name: use at most 120 characters."),
    "user_id": _(
        "User: enter one name of at most 255 characters. A key for one user cannot have the"
        " permission admin."
    ),
    "rate_limit": _(
        "Requests per minute: enter a whole number from 1 to 100,000, or leave this empty."
    ),
}


@require_GET
@space_page("admin")
def keys(request: PageRequest, access: Access) -> HttpResponse:
    """Show all keys, live keys first."""
    return _shown(request, access)


@require_GET
@space_page("admin")
def audit(request: PageRequest, access: Access) -> HttpResponse:
    """Show the next page of the activity log."""
    return render(request, "accounts/_audit.html", audited(request, access))


@require_POST
@space_page("admin")
def create(request: PageRequest, access: Access) -> HttpResponse:
    """Create a key and show its secret once."""
    now, days = timezone.now(), request.POST.get("expires", "")
    try:
        key, secret = services.create_key(
            space=access.space,
            name=SentText().clean(request.POST.get("name")),
            scopes=request.POST.getlist("scopes"),
            expires_at=now + timedelta(days=int(days)) if days and days in LIFETIMES else None,
            user_id=SentText(is_id=True).clean(request.POST.get("user_id")).strip() or None,
            rate_limit=_rate_limit(request.POST.get("rate_limit", "").strip()),
            learns="learns" in request.POST,
            actor=access.actor,
            now=now,
        )
    except InvalidArguments as error:
        return _shown(request, access, error=_sentence(error), asked=request.POST)
    return _made(request, access, key, secret)


@require_POST
@space_page("admin")
def rotate(request: PageRequest, access: Access, key_id: UUID) -> HttpResponse:
    """Give the key a new secret and show it once."""
    key = get_object_or_404(ApiKey.objects.in_space(access.space), public_id=key_id)
    grace = request.POST.get("grace", "")
    try:
        key, secret = services.rotate_key(
            space=access.space,
            key_id=key.public_id,
            grace=timedelta(hours=int(grace) if grace in GRACES else 24),
            actor=access.actor,
            now=timezone.now(),
        )
    except Conflict:
        said = _("This key has expired or is revoked. Create a new one.")
        return _shown(request, access, error=said)
    return _made(request, access, key, secret)


@require_POST
@space_page("admin")
def revoke(request: PageRequest, access: Access, key_id: UUID) -> HttpResponse:
    """Revoke a key."""
    key = get_object_or_404(ApiKey.objects.in_space(access.space), public_id=key_id)
    services.revoke_key(key=key, actor=access.actor, now=timezone.now())
    return _shown(request, access)


def _made(request: PageRequest, access: Access, key: ApiKey, secret: str) -> HttpResponse:
    """Show the secret once; for a key that reads and writes, also programs that use it."""
    url = request.build_absolute_uri("/").rstrip("/")
    texts = first_texts(url, secret) if {Scope.READ, Scope.WRITE} <= {*key.scopes} else []
    return _shown(request, access, made=key, secret=secret, texts=texts)


def _rate_limit(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidArguments(FieldError("rate_limit", "must be a whole number"))
    return int(text)


def _sentence(error: InvalidArguments) -> str:
    return " ".join(str(_WRONG.get(wrong.field, wrong.message)) for wrong in error.errors)


def _shown(request: PageRequest, access: Access, **more: Any) -> HttpResponse:
    now, asked = timezone.now(), more.get("asked")
    selected = asked.getlist("scopes") if asked else [Scope.READ, Scope.WRITE]
    rows = ApiKey.objects.in_space(access.space).order_by("-created_at", "-pk")
    context = {
        "live": [(key, key.earlier_until(now)) for key in rows if key.state(now) == "live"],
        "ended": [key for key in rows if key.state(now) != "live"],
        "graces": GRACES,
        "lifetimes": LIFETIMES,
        "scopes": [(*scope, scope[0] in selected) for scope in SCOPES],
        **audited(request, access),
        **more,
    }
    template = "accounts/_keys.html" if request.htmx else "accounts/keys.html"
    response = render(request, template, context)
    response["Cache-Control"] = "no-store"  # the page may contain a secret
    return response


def audited(request: PageRequest, access: Access) -> dict[str, Any]:
    """Return the context of templates/accounts/_audit.html: a page of the audit log, each
    entry with its details as text.
    """
    rows = AuditEntry.objects.in_space(access.space)
    cursor = request.GET.get("cursor") or None
    entries, following = keyset("-at").page(rows, limit=ENTRIES, cursor=cursor)
    return {"entries": [(entry, _words(entry)) for entry in entries], "next": following}


def _words(entry: AuditEntry) -> str:
    """Return the details: `{"role": "editor", "before": "viewer"}` → "role editor · before
    viewer".
    """
    told = [
        f"{_TOLD.get(name, name)} {_said(name, value)}"
        for name, value in entry.detail.items()
        if value not in (None, "", [])
    ]
    return " · ".join(told)


def _said(name: str, value: object) -> str:
    """Return the value of a detail in the reader's language."""
    if isinstance(value, bool):
        return gettext("on") if value else gettext("off")
    labels = {key: str(label) for key, label in _LABELS.get(name, ())}
    if isinstance(value, list):
        return ", ".join(labels.get(one, str(one)) for one in value)
    if name.endswith(("_at", "_until")):
        return str(value)[:16].replace("T", " ")
    return labels.get(str(value), str(value))
