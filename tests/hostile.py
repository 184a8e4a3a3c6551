"""Texts that people should not be able to do harm with, in every place that holds a text of theirs.

Columns are found from the models, so a new one is held to it without being named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db.models import CharField, Field, JSONField, Model, QuerySet, TextField, URLField

from tests.packages import WITH_TABLES

# Turns what follows it around, and is never closed. One stands at the start of each text.
RTL_OVERRIDE = "\N{RIGHT-TO-LEFT OVERRIDE}"
SCRIPT = "<script>hit=1</script>"
# No white space: a line that cannot break shows what does not fit, and a text ends where it ends.
SHORT = f'{RTL_OVERRIDE}😀{SCRIPT}"><img/src=x/onerror=hit=1>{{{{7*7}}}}'
_MORE = (
    "'</textarea></title></style>--><svg/onload=hit=1><a/href='javascript:hit=1'>a</a>"
    "[b](javascript:hit=1)![c](//example.org/x)**d**`e`|f|&lt;g>"
)
LONG = SHORT + "W" * 10_000 + _MORE

# What Ebb itself writes there, or takes only in a form of its own; and what logs somebody in.
_OWN = {
    *("slug", "prefix", "digest", "previous_digest", "secret", "key", "idempotency_key"),
    *(
        "short_id",
        "legacy_id",
        "kind",
        "state",
        "actor_type",
        "bin_reason",
        "memory_type",
        "rubric",
    ),
    *("prompt_version", "provider", "profile", "external_id", "event", "email", "password"),
    *("preset", "sealed_key"),
}
_OWN_TABLES = {"Embedder", "WorkerHeartbeat", "IdempotentWrite", "IdempotentTurn", "JobPart"}
_SAID = {
    *("content", "text", "query", "tags", "topics", "speaker", "page", "reason", "subject"),
    *("error", "answer"),
}


def make_hostile() -> None:
    """Puts hostile texts wherever a row holds what somebody wrote or a stranger answered."""
    for model in (
        model for name in WITH_TABLES for model in apps.get_app_config(name).get_models()
    ):
        if model.__name__ not in _OWN_TABLES:
            _make_hostile(model)


def _make_hostile(model: type[Model]) -> None:
    # Not the model's own manager: the history is append-only.
    rows: QuerySet[Model] = QuerySet(model)
    values = {field.name: value for field in model._meta.fields for value in _texts(field)}
    unique = {field.name for field in model._meta.fields if field.unique}
    unique |= {name for one in model._meta.total_unique_constraints for name in one.fields}
    own = {name: values.pop(name) for name in unique & values.keys()}
    if values:
        rows.update(**values)
    for number, row in enumerate(rows.only("pk") if own else []):
        rows.filter(pk=row.pk).update(**{n: f"{text[:-2]}{number:02}" for n, text in own.items()})
    for field in (field.name for field in model._meta.fields if isinstance(field, JSONField)):
        for row in rows.exclude(**{field: {}}).exclude(**{field: []}).only("pk", field):
            rows.filter(pk=row.pk).update(**{field: _said(getattr(row, field))})


def _texts(field: Field[Any, Any]) -> Iterator[Any]:
    """Return the texts of a column, if any."""
    inner = field.base_field if isinstance(field, ArrayField) else field
    if not isinstance(inner, CharField | TextField) or inner.choices or field.name in _OWN:
        return
    if field.generated or field.primary_key:
        return
    text = LONG if inner.max_length is None else (SHORT + "W" * 200)[: inner.max_length]
    if isinstance(field, URLField) or field.name == "base_url":
        text = "https://example.org/" + SHORT
    yield [text] if isinstance(field, ArrayField) else text


def _said(value: Any, *, spoilt: bool = False) -> Any:
    """The same JSON with other words where words are."""
    if isinstance(value, dict):
        return {name: _said(one, spoilt=name in _SAID) for name, one in value.items()}
    if isinstance(value, list):
        return [_said(one, spoilt=spoilt) for one in value]
    return LONG if spoilt and isinstance(value, str) else value
