"""Writes of model connections and choices, each with its entry in an audit log.

A change of a connection, or of the choice for all spaces, belongs to the log of the installation. A
space's own choice belongs to the log of the space.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Unpack
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.audit import note, note_installation
from accounts.models import AuditAction, Space
from foundation.actors import Actor
from foundation.errors import Conflict, FieldError, InvalidArguments, NotFound
from foundation.sealing import Unreadable, seal, unseal
from memory.model_connections.embedding import embeds
from memory.model_connections.fields import ConnectionFields, checked_fields, checked_model
from memory.models import ANSWERING, ModelChoice, ModelConnection, Purpose

FAILURE_LENGTH = 400


@dataclass(frozen=True)
class Change:
    """The circumstances of a write: its actor and time."""

    actor: Actor
    now: datetime

    def note(
        self, action: AuditAction, subject: str, *, space: Space | None = None, **detail: Any
    ) -> None:
        """Append an entry to the audit log of the space, or of the installation without one."""
        append = note_installation if space is None else partial(note, space=space)
        append(actor=self.actor, action=action, subject=subject, now=self.now, detail=detail)


@transaction.atomic
def add_connection(*, change: Change, **fields: Unpack[ConnectionFields]) -> ModelConnection:
    """Create a connection; raises InvalidArguments."""
    values = _stored(checked_fields(fields, connection=None))
    connection = ModelConnection.objects.create(
        created_at=change.now, changed_at=change.now, **values
    )
    change.note(AuditAction.CONNECTION_ADDED, connection.name, url=connection.base_url)
    return connection


@transaction.atomic
def change_connection(
    *, connection_id: UUID, change: Change, **fields: Unpack[ConnectionFields]
) -> ModelConnection:
    """Change the given fields; a key that is not given is kept.

    Raises NotFound and InvalidArguments.
    """
    connection = _locked(connection_id)
    values = _stored(checked_fields(fields, connection=connection))
    for name, value in values.items():
        setattr(connection, name, value)
    connection.changed_at = change.now
    connection.failure, connection.failing_since = "", None
    connection.save()
    change.note(
        AuditAction.CONNECTION_CHANGED, connection.name, url=connection.base_url,
        key_changed="sealed_key" in values,
    )  # fmt: skip
    return connection


@transaction.atomic
def delete_connection(*, connection_id: UUID, change: Change) -> None:
    """Delete a connection and its choices; raises NotFound, and Conflict while a space embeds its
    memories by it."""
    connection = _locked(connection_id)
    if embeds(connection):
        raise Conflict(gettext_noop("A space uses this connection for embeddings. Move it first."))
    connection.delete()
    change.note(AuditAction.CONNECTION_DELETED, connection.name)


@transaction.atomic
def choose_model(
    *, purpose: str, space: Space | None, connection_id: UUID, model: str, change: Change
) -> ModelChoice:
    """Choose the model for a purpose, in this space or, without one, in the whole installation.

    Raises NotFound and InvalidArguments.
    """
    connection = _locked(connection_id)
    if purpose not in Purpose.values:
        raise InvalidArguments(FieldError("purpose", f"must be one of {', '.join(Purpose)}"))
    if space is not None and purpose not in ANSWERING:
        raise InvalidArguments(FieldError("purpose", gettext_noop("is chosen for all spaces only")))
    name = checked_model(model)
    choice, _created = ModelChoice.objects.update_or_create(
        purpose=purpose,
        space=space,
        defaults={"connection": connection, "model": name},
    )
    change.note(
        AuditAction.MODEL_CHOSEN, name, space=space, purpose=purpose, connection=connection.name
    )
    return choice


@transaction.atomic
def connect_model(
    *, model: str, change: Change, **fields: Unpack[ConnectionFields]
) -> ModelConnection:
    """Create a connection, and choose its model for the purposes that have no model for all spaces
    yet. If its name is taken, it gets the address, too. Raises InvalidArguments.
    """
    if ModelConnection.objects.filter(name__iexact=fields["name"]).exists():
        fields["name"] += f" ({fields['base_url']})"
    connection = add_connection(change=change, **fields)
    chosen = set(ModelChoice.objects.filter(space=None).values_list("purpose", flat=True))
    for purpose in (one for one in ANSWERING if one not in chosen):
        choose_model(
            purpose=purpose, space=None, connection_id=connection.pk, model=model, change=change
        )
    return connection


@transaction.atomic
def remove_choice(*, purpose: str, space: Space | None, change: Change) -> None:
    """Remove the choice of the space or of the installation; raises NotFound."""
    rows = ModelChoice.objects.filter(purpose=purpose, space=space)
    choice = rows.select_for_update().first()
    if choice is None:
        raise NotFound("No model is chosen.")
    choice.delete()
    change.note(AuditAction.MODEL_UNCHOSEN, choice.model, space=space, purpose=purpose)


def record_success(*, connection: ModelConnection) -> None:
    """Clear the failure of a connection that has just answered."""
    if connection.failure:
        rows = ModelConnection.objects.filter(pk=connection.pk)
        rows.update(failure="", failing_since=None)


@transaction.atomic
def record_failure(*, connection: ModelConnection, error: str, now: datetime) -> None:
    """Store the error of a connection; the time of the first one is kept."""
    found = ModelConnection.objects.select_for_update().filter(pk=connection.pk).first()
    if found is None:
        return
    found.failure = error.replace("\x00", "")[:FAILURE_LENGTH]
    found.failing_since = found.failing_since or now
    found.save(update_fields=["failure", "failing_since"])


@transaction.atomic
def reseal_keys() -> tuple[int, list[str]]:
    """Seal every key with the current SECRET_KEY. Return the number of keys sealed, and the names
    of the connections whose key cannot be read."""
    unreadable, sealed = [], 0
    for connection in ModelConnection.objects.select_for_update().exclude(sealed_key=""):
        try:
            connection.sealed_key = seal(unseal(connection.sealed_key))
        except Unreadable:
            unreadable.append(connection.name)
            continue
        connection.save(update_fields=["sealed_key"])
        sealed += 1
    return sealed, unreadable


def _stored(fields: ConnectionFields) -> dict[str, Any]:
    """Return the columns of these fields, the key sealed."""
    values: dict[str, Any] = dict(fields)
    if "key" in values:
        values["sealed_key"] = seal(values.pop("key"))
    return values


def _locked(connection_id: UUID) -> ModelConnection:
    rows = ModelConnection.objects.select_for_update()
    connection = rows.filter(pk=connection_id).first()
    if connection is None:
        raise NotFound("Model connection not found.")
    return connection
