"""Creating, changing and deleting webhooks of a space; messages about events outside the
history."""

import socket
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_noop as _

from accounts.audit import note
from accounts.models import AuditAction, Space, WebhookEvent
from foundation.actors import Actor
from foundation.errors import FieldError, InvalidArguments, NotFound
from foundation.sealing import Unreadable, seal
from memory.models import DeliveryState, Webhook, WebhookDelivery
from memory.webhooks.addresses import endpoint_of, is_public
from memory.webhooks.signing import new_secret

MAX_WEBHOOKS = 50
"""Maximum number of webhooks in a space; each event writes a message for each of them."""


@transaction.atomic
def create_webhook(
    *, space: Space, url: str, events: Sequence[str], actor: Actor, now: datetime
) -> Webhook:
    """Create a webhook that receives these events from now on. Raises InvalidArguments."""
    _check({"url": url, "events": events})
    if Webhook.objects.in_space(space).count() >= MAX_WEBHOOKS:
        raise InvalidArguments(
            FieldError("url", f"a space can have at most {MAX_WEBHOOKS} webhooks")
        )
    webhook = Webhook.objects.create(
        space=space,
        url=url,
        sealed_secret=seal(new_secret()),
        events=_in_order(events),
        created_at=now,
    )
    _note(webhook, AuditAction.WEBHOOK_CREATED, actor, now, {"events": webhook.events})
    return webhook


@transaction.atomic
def change_webhook(
    *, space: Space, webhook_id: UUID, changes: Mapping[str, Any], actor: Actor, now: datetime
) -> Webhook:
    """Change `url`, `events` or `active` of a webhook. Events that occur while it is inactive are
    not sent later. Raises NotFound and InvalidArguments."""
    webhook = webhook_of(space, webhook_id, lock=True)
    _check(changes)
    values = dict(changes)
    if "events" in values:
        values["events"] = _in_order(values["events"])
    values = {name: value for name, value in values.items() if getattr(webhook, name) != value}
    told = dict(values)
    if "active" in values:
        values["switched_off"] = ""
    for name, value in values.items():
        setattr(webhook, name, value)
    if values:
        webhook.save(update_fields=list(values))
        _note(webhook, AuditAction.WEBHOOK_CHANGED, actor, now, told)
    return webhook


@transaction.atomic
def rotate_webhook(*, space: Space, webhook_id: UUID, actor: Actor, now: datetime) -> Webhook:
    """Create a new secret, which signs every message from now on, including retries. The old secret
    becomes useless to anyone who obtained it. Raises NotFound.
    """
    webhook = webhook_of(space, webhook_id, lock=True)
    webhook.sealed_secret = seal(new_secret())
    webhook.save(update_fields=["sealed_secret"])
    _note(webhook, AuditAction.WEBHOOK_ROTATED, actor, now, {})
    return webhook


@transaction.atomic
def reseal_secrets() -> tuple[int, list[str]]:
    """Seal the secrets of all spaces with the current SECRET_KEY. Return the number of secrets
    sealed, and the addresses of the webhooks whose secret cannot be read."""
    unreadable, sealed = [], 0
    for space_id, webhook_id in list(Webhook.objects.values_list("space_id", "pk")):
        # Locked one by one, because a lock cannot span the shards of several spaces.
        row = Webhook.objects.filter(space_id=space_id, pk=webhook_id)
        for webhook in row.select_for_update():
            try:
                webhook.sealed_secret = seal(webhook.secret)
            except Unreadable:
                unreadable.append(webhook.url)
                continue
            webhook.save(update_fields=["sealed_secret"])
            sealed += 1
    return sealed, unreadable


@transaction.atomic
def delete_webhook(*, space: Space, webhook_id: UUID, actor: Actor, now: datetime) -> None:
    """Delete the webhook with its messages. Raises NotFound."""
    webhook = webhook_of(space, webhook_id, lock=True)
    _note(webhook, AuditAction.WEBHOOK_DELETED, actor, now, {})
    webhook.delete()


def emit(
    *,
    space_id: int,
    event: WebhookEvent,
    data: Mapping[str, Any],
    now: datetime,
    user_id: str | None = None,
) -> None:
    """Create messages to the space's webhooks about an event outside the history, in the caller's
    transaction. `user_id` is the user whom the event is about."""
    hooks = Webhook.objects.filter(space_id=space_id, active=True, events__contains=[event.value])
    WebhookDelivery.objects.bulk_create(
        _message(webhook, event.value, {"user_id": user_id, **data}, now, user_id)
        for webhook in hooks.select_related("space")
    )


def send_test(*, space: Space, webhook_id: UUID, now: datetime) -> WebhookDelivery:
    """Create a message of the type `test`, to check the delivery. Raises NotFound."""
    webhook = webhook_of(space, webhook_id)
    delivery = _message(webhook, "test", {"message": "This is a test."}, now)
    delivery.save()
    return delivery


@transaction.atomic
def redeliver(*, space: Space, delivery_id: UUID, now: datetime) -> WebhookDelivery:
    """Send a message again with its own id, whatever its state. Raises NotFound."""
    rows = WebhookDelivery.objects.in_space(space).filter(pk=delivery_id)
    again = {"state": DeliveryState.PENDING, "attempts": 0, "due_at": now}
    if not rows.update(**again):
        raise NotFound("Delivery not found.")
    return rows.get()


def _message(
    webhook: Webhook,
    event: str,
    data: Mapping[str, Any],
    now: datetime,
    user_id: str | None = None,
) -> WebhookDelivery:
    at = now.astimezone(UTC).isoformat().replace("+00:00", "Z")
    payload = {"type": event, "timestamp": at, "data": {"space": webhook.space.slug, **data}}
    return WebhookDelivery(
        space_id=webhook.space_id, webhook=webhook, event=event, payload=payload,
        created_at=now, due_at=now, user_id=user_id,
    )  # fmt: skip


def webhook_of(space: Space, webhook_id: UUID, *, lock: bool = False) -> Webhook:
    """Return a webhook of the space, locked until the transaction ends if `lock` is true. Raises
    NotFound."""
    rows = Webhook.objects.in_space(space).filter(pk=webhook_id)
    webhook = (rows.select_for_update() if lock else rows).first()
    if webhook is None:
        raise NotFound("Webhook not found.")
    return webhook


def _in_order(events: Sequence[str]) -> list[str]:
    return [event for event in WebhookEvent.values if event in events]


def _check(values: Mapping[str, Any]) -> None:
    errors = []
    if "url" in values:
        try:
            host = endpoint_of(values["url"]).host
        except ValueError as error:
            errors.append(FieldError("url", str(error)))
        else:
            if not settings.EBB_WEBHOOKS_PRIVATE and _plainly_private(host):
                errors.append(FieldError("url", _("points into a private network")))
        if len(values["url"]) > 2000:
            errors.append(FieldError("url", _("must have at most 2,000 characters")))
    if "events" in values and (
        not values["events"] or not set(values["events"]) <= set(WebhookEvent.values)
    ):
        known = ", ".join(WebhookEvent.values)
        errors.append(FieldError("events", f"must be one or more of {known}"))
    if errors:
        raise InvalidArguments(*errors)


def _plainly_private(host: str) -> bool:
    """Return true if the host is private without a name lookup. Other names are checked when a
    message is sent."""
    try:
        return not is_public(host)
    except ValueError:
        pass
    try:  # 2130706433, 0x7f000001, 127.1: addresses without a name lookup
        return not is_public(socket.inet_ntoa(socket.inet_aton(host)))
    except OSError:
        return host == "localhost" or host.endswith(".localhost")


def _note(
    webhook: Webhook, action: AuditAction, actor: Actor, now: datetime, detail: Mapping[str, Any]
) -> None:
    subject = webhook.url
    note(space=webhook.space, actor=actor, action=action, subject=subject, now=now, detail=detail)
