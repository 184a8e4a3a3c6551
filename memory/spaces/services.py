"""Creating, renaming and deleting spaces."""

import logging
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import connection, transaction
from django.db.models import ManyToOneRel, Model

from accounts.audit import note
from accounts.members.services import add_member
from accounts.models import AuditAction, Embedder, Role, Space, User
from foundation.actors import Actor
from foundation.database.locks import lock
from foundation.errors import FieldError, InvalidArguments
from foundation.moments import checked_zone
from foundation.texts.names import NO_CONTROL, has_control_characters
from memory.policies.services import add_version
from memory.policy import PolicyDocument, changed

logger = logging.getLogger(__name__)

MAX_NAME, MAX_SLUG = 120, 60
TAKEN = "is taken by another space"


@transaction.atomic
def create_space(
    *,
    slug: str,
    name: str,
    embedder: Embedder,
    actor: Actor,
    owner: User | None = None,
    language: str = "en",
) -> Space:
    """Create a space with the default policy, in this language, as its version 1.

    Raises InvalidArguments, also for a short name that another space has.
    """
    document = changed(PolicyDocument(), {"language": language})
    name = _checked_name(name)
    _check_slug(slug)
    space, is_new = Space.objects.get_or_create(
        slug=slug, defaults={"name": name, "embedder": embedder}
    )
    if not is_new:
        raise InvalidArguments(FieldError("slug", TAKEN))
    now = space.created_at
    add_version(space=space, version=1, document=document, actor=actor, now=now)
    note(space=space, actor=actor, action=AuditAction.SPACE_CREATED, subject=name, now=now)
    if owner is not None:
        add_member(space=space, user=owner, role=Role.OWNER, actor=actor, now=now)
    return space


@transaction.atomic
def rename_space(*, space: Space, name: str, actor: Actor, now: datetime) -> Space:
    """Rename the space; its short name, which is part of URLs, stays.

    Raises InvalidArguments.
    """
    name = _checked_name(name)
    held = Space.objects.select_for_update(no_key=True).get(pk=space.pk)
    if held.name != name:
        before, held.name = held.name, name
        held.save(update_fields=["name"])
        detail = {"before": before}
        action = AuditAction.SPACE_RENAMED
        note(space=held, actor=actor, action=action, subject=name, now=now, detail=detail)
    return held


@transaction.atomic
def change_zone(*, space: Space, name: str, actor: Actor, now: datetime) -> None:
    """Set the time zone of speakers who name none; "" means UTC. Raises InvalidArguments."""
    try:
        checked_zone(name or "UTC")
    except ValueError as error:
        raise InvalidArguments(FieldError("time_zone", str(error))) from None
    before = Space.objects.select_for_update(no_key=True).get(pk=space.pk).time_zone
    if before != name:
        Space.objects.filter(pk=space.pk).update(time_zone=name)
        detail, action = {"time_zone": name, "before": before}, AuditAction.SPACE_CHANGED
        note(space=space, actor=actor, action=action, subject=space.name, now=now, detail=detail)


@transaction.atomic
def delete_space(*, space: Space, actor: Actor) -> None:
    """Delete the space with all its rows, including history and audit; only the log records the
    deletion. A large space takes a minute: spaces.deletion deletes in batches and calls this at the
    end.

    Runs one statement for each table. The order does not matter, because foreign keys are checked
    when the transaction ends.
    """
    lock(space.pk, "vectors")  # for writers of memories
    Space.objects.select_for_update().get(pk=space.pk)
    with connection.cursor() as cursor:
        for model in models_of_spaces():
            cursor.execute(f'DELETE FROM "{model._meta.db_table}" WHERE space_id = %s', [space.pk])  # noqa: S608 - names of our own tables
        cursor.execute("DELETE FROM accounts_space WHERE id = %s", [space.pk])
    logger.warning("The space %s was deleted by %s %s", space.slug, actor.type, actor.name)


def models_of_spaces() -> list[type[Model]]:
    """Return each model with a `space` key, including the models of the apps above."""
    fields = Space._meta.get_fields(include_hidden=True)
    return [field.related_model for field in fields if isinstance(field, ManyToOneRel)]


def _checked_name(name: str) -> str:
    name = " ".join(name.replace("\x00", "").split())
    if not 1 <= len(name) <= MAX_NAME:
        raise InvalidArguments(FieldError("name", f"must have 1 to {MAX_NAME} characters"))
    if has_control_characters(name):
        raise InvalidArguments(FieldError("name", NO_CONTROL))
    return name


def _check_slug(slug: str) -> None:
    try:
        validate_slug(slug)
    except ValidationError:
        wrong = "must be Latin letters, digits, - and _ only"
        raise InvalidArguments(FieldError("slug", wrong)) from None
    if len(slug) > MAX_SLUG:
        raise InvalidArguments(FieldError("slug", f"must have at most {MAX_SLUG} characters"))
