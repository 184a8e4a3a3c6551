"""Checks of the fields of a connection and of a model's name."""

import math
from typing import TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext_noop as _

from foundation.errors import FieldError, InvalidArguments
from foundation.texts.names import NO_CONTROL, has_control_characters
from memory.model_connections.presets import PRESETS
from memory.models import ModelConnection
from memory.webhooks.addresses import Unreachable, checked_address, endpoint_of

LONGEST = {"name": 60, "base_url": 300, "key": 500, "model": 120}


class ConnectionFields(TypedDict, total=False):
    """The fields of a connection that a person sets; a missing one is not changed."""

    name: str
    preset: str
    base_url: str
    key: str
    price_prompt: float | None
    price_completion: float | None


def checked_fields(
    fields: ConnectionFields, *, connection: ModelConnection | None
) -> ConnectionFields:
    """Return the fields without outer blanks; raises InvalidArguments.

    `connection` is the one to change, None for a new one. A stored key never goes to another
    server than the one it was entered for.
    """
    found = _stripped(fields)
    errors = [*_text_errors(found, required=connection is None), *_price_errors(found)]
    if "base_url" in found and not any(error.field == "base_url" for error in errors):
        errors += _address_errors(found["base_url"])
    if not errors:
        errors = [*_name_errors(found, connection), *_key_errors(found, connection)]
    if errors:
        raise InvalidArguments(*errors)
    return found


def checked_model(model: str) -> str:
    """Return a model's name without outer blanks; raises InvalidArguments."""
    name = model.strip()
    if wrong := _wrong_text("model", name):
        raise InvalidArguments(FieldError("model", wrong))
    return name


def refuse_private(base_url: str) -> None:
    """Raise InvalidArguments if EBB_PRIVATE_ENDPOINTS forbids the address.

    Looks the name up.
    """
    if errors := _address_errors(base_url):
        raise InvalidArguments(*errors)


def _stripped(fields: ConnectionFields) -> ConnectionFields:
    found = fields.copy()
    for name in ("name", "base_url", "key"):
        if name in found:
            found[name] = found[name].strip()
    if "base_url" in found:
        found["base_url"] = found["base_url"].rstrip("/")
    return found


def _text_errors(fields: ConnectionFields, *, required: bool) -> list[FieldError]:
    errors = []
    for name in ("name", "base_url"):
        value = fields.get(name, "" if required else "unchanged")
        if wrong := _wrong_text(name, str(value)):
            errors.append(FieldError(name, wrong))
    if fields.get("key") and (wrong := _wrong_text("key", fields["key"])):
        errors.append(FieldError("key", wrong))
    elif not fields.get("key", "").isascii():
        errors.append(FieldError("key", _("must contain only ASCII characters")))
    if fields.get("preset", "") not in {"", *PRESETS}:
        errors.append(FieldError("preset", _("is unknown")))
    return errors


def _wrong_text(field: str, value: str) -> str:
    if not value:
        return _("must not be empty")
    if len(value) > LONGEST[field]:
        return _("is too long")
    return NO_CONTROL if has_control_characters(value) else ""


def _price_errors(fields: ConnectionFields) -> list[FieldError]:
    prices = {name: fields.get(name) for name in ("price_prompt", "price_completion")}
    return [
        FieldError(name, _("must be a number, 0 or more"))
        for name, price in prices.items()
        if isinstance(price, float | int) and not 0 <= price < math.inf
    ]


def _address_errors(base_url: str) -> list[FieldError]:
    try:
        endpoint = endpoint_of(base_url)
    except ValueError as error:
        return [FieldError("base_url", str(error))]
    parts = urlsplit(base_url)
    if parts.query or parts.fragment:
        return [FieldError("base_url", _("must not contain a query string"))]
    if settings.EBB_PRIVATE_ENDPOINTS:
        return []
    try:
        checked_address(endpoint, private=False)
    except Unreachable:
        wrong = _("is unknown or in a private network, which EBB_PRIVATE_ENDPOINTS=0 forbids")
        return [FieldError("base_url", wrong)]
    return []


def _name_errors(fields: ConnectionFields, connection: ModelConnection | None) -> list[FieldError]:
    others = ModelConnection.objects.filter(name__iexact=fields.get("name", ""))
    if connection is not None:
        others = others.exclude(pk=connection.pk)
    return [FieldError("name", _("is already in use"))] if others.exists() else []


def _key_errors(fields: ConnectionFields, connection: ModelConnection | None) -> list[FieldError]:
    if connection is None or "key" in fields or not connection.sealed_key:
        return []
    if _server(fields.get("base_url", connection.base_url)) == _server(connection.base_url):
        return []
    return [FieldError("key", _("must be entered again, because the address changed"))]


def _server(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
