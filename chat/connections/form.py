"""The form of a connection: its values, and the errors beside its fields."""

import math
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from accounts.forms import SentText
from foundation.errors import FieldError, InvalidArguments
from memory.model_connections.fields import LONGEST, ConnectionFields
from memory.model_connections.presets import PRESETS, Preset
from memory.models import ModelConnection

TEXTS = ("preset", "name", "base_url", "price_prompt", "price_completion")


@dataclass(frozen=True)
class ConnectionForm:
    """The values of a form and the errors by field. The key is never filled in."""

    values: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def preset(self) -> Preset | None:
        """The chosen provider, None for another one."""
        return PRESETS.get(self.values.get("preset", ""))


def new_form(preset_name: str) -> ConnectionForm:
    """Return the form with the values of a preset; an unknown name gives an empty form."""
    preset = PRESETS.get(preset_name)
    if preset is None:
        return ConnectionForm({})
    values = {"preset": preset.name, "name": preset.label, "base_url": preset.base_url}
    return ConnectionForm(values)


def wrong_form(sent: QueryDict, error: InvalidArguments) -> ConnectionForm:
    """Return the form as it was sent, with its errors. The key has to be entered again."""
    values = {name: SentText(400).clean(sent.get(name)) for name in TEXTS}
    return ConnectionForm(values, {one.field: _(one.message) for one in error.errors})


def error_texts(error: InvalidArguments) -> str:
    """Return the errors as one text."""
    return " ".join(_(one.message) for one in error.errors)


def asked_fields(sent: QueryDict) -> ConnectionFields:
    """Return the fields of a sent form; raises InvalidArguments if a price is not a number."""
    wrong: list[FieldError] = []
    fields: ConnectionFields = {
        "preset": SentText(20).clean(sent.get("preset")),
        "name": SentText(LONGEST["name"] + 1).clean(sent.get("name")),
        "base_url": SentText(LONGEST["base_url"] + 1).clean(sent.get("base_url")),
        "key": SentText(LONGEST["key"] + 1).clean(sent.get("key")),
        "price_prompt": _price("price_prompt", sent, wrong),
        "price_completion": _price("price_completion", sent, wrong),
    }
    if wrong:
        raise InvalidArguments(*wrong)
    return fields


def _price(name: str, sent: Any, wrong: list[FieldError]) -> float | None:
    given = SentText(40).clean(sent.get(name))
    try:
        price = float(given) if given else None
    except ValueError:
        price = math.nan
    if price is not None and not 0 <= price < math.inf:
        wrong.append(FieldError(name, "must be a number, 0 or more"))
    return price


def stored_form(connection: ModelConnection) -> ConnectionForm:
    """Return the form with a connection's values."""
    values = {name: getattr(connection, name) for name in TEXTS}
    return ConnectionForm(
        {name: "" if value is None else str(value) for name, value in values.items()}
    )
