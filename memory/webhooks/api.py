"""JSON API of a space's webhooks and their deliveries."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.authentication import access_to
from foundation.http.pagination import keyset
from foundation.http.requests import PageIn, RowId, parse_uuid
from memory.models import Webhook, WebhookDelivery
from memory.webhooks import services
from memory.webhooks.schemas import (
    DeliveryList,
    NewWebhookOut,
    WebhookChangeIn,
    WebhookIn,
    WebhookList,
    WebhookOut,
)

router = Router(tags=["webhooks"])


@router.get("webhooks", response=WebhookList, url_name="webhooks_list", operation_id="listWebhooks")
def list_webhooks(request: HttpRequest, asked: Query[PageIn]) -> dict[str, object]:
    """List the space's webhooks, newest first."""
    rows = Webhook.objects.in_space(access_to(request, "admin").space)
    items, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    return {"items": items, "next": following}


@router.post(
    "webhooks",
    response={201: NewWebhookOut},
    url_name="webhooks_create",
    operation_id="createWebhook",
)
def create_webhook(request: HttpRequest, asked: WebhookIn) -> Status[Webhook]:
    """Create a webhook that receives these events from now on. Only this response contains the
    secret."""
    access = access_to(request, "admin")
    access.require("read")  # events contain memories
    webhook = services.create_webhook(
        space=access.space,
        url=asked.url,
        events=asked.events,
        actor=access.actor,
        now=timezone.now(),
    )
    return Status(201, webhook)


@router.get(
    "webhooks/{id}", response=WebhookOut, url_name="webhooks_get", operation_id="getWebhook"
)
def get_webhook(request: HttpRequest, id: RowId) -> Webhook:
    """Retrieve a webhook."""
    return services.webhook_of(access_to(request, "admin").space, parse_uuid(id))


@router.patch(
    "webhooks/{id}", response=WebhookOut, url_name="webhooks_change", operation_id="changeWebhook"
)
def change_webhook(request: HttpRequest, id: RowId, asked: WebhookChangeIn) -> Webhook:
    """Change a webhook's URL or events, or switch it on or off. Events that occur while it is off
    are not sent later."""
    access = access_to(request, "admin")
    access.require("read")
    return services.change_webhook(
        space=access.space,
        webhook_id=parse_uuid(id),
        changes=asked.model_dump(exclude_none=True),
        actor=access.actor,
        now=timezone.now(),
    )


@router.delete(
    "webhooks/{id}", response={204: None}, url_name="webhooks_delete", operation_id="deleteWebhook"
)
def delete_webhook(request: HttpRequest, id: RowId) -> Status[None]:
    """Delete a webhook with its deliveries."""
    access = access_to(request, "admin")
    services.delete_webhook(
        space=access.space, webhook_id=parse_uuid(id), actor=access.actor, now=timezone.now()
    )
    return Status(204, None)


@router.post(
    "webhooks/{id}/rotate",
    response=NewWebhookOut,
    url_name="webhooks_rotate",
    operation_id="rotateWebhook",
)
def rotate_webhook(request: HttpRequest, id: RowId) -> Webhook:
    """Create a new secret, which only this response contains. All messages are signed with it from
    now on, including retries; the old secret becomes invalid."""
    access = access_to(request, "admin")
    return services.rotate_webhook(
        space=access.space, webhook_id=parse_uuid(id), actor=access.actor, now=timezone.now()
    )


@router.get(
    "webhooks/{id}/deliveries",
    response=DeliveryList,
    url_name="webhooks_deliveries",
    operation_id="listDeliveries",
)
def list_deliveries(request: HttpRequest, id: RowId, asked: Query[PageIn]) -> dict[str, object]:
    """List the webhook's deliveries, newest first. They are kept for 30 days."""
    access = access_to(request, "admin")
    webhook = services.webhook_of(access.space, parse_uuid(id))
    rows = WebhookDelivery.objects.in_space(access.space).readable_by(access.reader)
    rows = rows.filter(webhook=webhook)
    items, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    return {"items": items, "next": following}
