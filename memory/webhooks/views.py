"""Pages of webhooks: the list with a form, and the deliveries of each."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.models import WebhookEvent
from accounts.pages import PageRequest, space_page
from foundation.errors import FieldError, InvalidArguments
from foundation.http.pagination import keyset
from memory.models import Webhook, WebhookDelivery
from memory.webhooks import services

PAGE_SIZE = 30


@require_GET
@space_page("admin")
def webhooks(request: PageRequest, access: Access) -> HttpResponse:
    """Show the space's webhooks, and a form to create one."""
    return _listed(request, access)


@require_POST
@space_page("admin")
def create(request: PageRequest, access: Access) -> HttpResponse:
    """Create a webhook and show its secret once."""
    try:
        webhook = services.create_webhook(
            space=access.space,
            url=SentText().clean(request.POST.get("url")),
            events=request.POST.getlist("events"),
            actor=access.actor,
            now=timezone.now(),
        )
    except InvalidArguments as error:
        said = " ".join(_sentence(wrong) for wrong in error.errors)
        return _listed(request, access, error=said, asked=request.POST)
    return _listed(request, access, made=webhook)


def _sentence(wrong: FieldError) -> str:
    if wrong.field == "events":
        return gettext("Choose at least one event.")
    return gettext("Address: %(reason)s.") % {"reason": gettext(wrong.message)}


@require_GET
@space_page("admin")
def webhook(request: PageRequest, access: Access, webhook_id: UUID) -> HttpResponse:
    """Show one webhook and its deliveries."""
    return _logged(request, access, webhook_id)


@require_POST
@space_page("admin")
def test(request: PageRequest, access: Access, webhook_id: UUID) -> HttpResponse:
    """Send a test message; the deliveries show the result."""
    _of(access, webhook_id)
    services.send_test(space=access.space, webhook_id=webhook_id, now=timezone.now())
    return _logged(request, access, webhook_id)


@require_POST
@space_page("admin")
def redeliver(
    request: PageRequest, access: Access, webhook_id: UUID, delivery_id: UUID
) -> HttpResponse:
    """Send a message again."""
    rows = WebhookDelivery.objects.in_space(access.space).filter(webhook_id=webhook_id)
    delivery = get_object_or_404(rows, pk=delivery_id)
    services.redeliver(space=access.space, delivery_id=delivery.pk, now=timezone.now())
    return _logged(request, access, webhook_id)


@require_POST
@space_page("admin")
def switch(request: PageRequest, access: Access, webhook_id: UUID) -> HttpResponse:
    """Switch the webhook on or off."""
    _of(access, webhook_id)
    services.change_webhook(
        space=access.space,
        webhook_id=webhook_id,
        changes={"active": request.POST.get("active") == "yes"},
        actor=access.actor,
        now=timezone.now(),
    )
    return redirect("webhook", access.space.slug, webhook_id)


@require_POST
@space_page("admin")
def rotate(request: PageRequest, access: Access, webhook_id: UUID) -> HttpResponse:
    """Create a new secret for the webhook and show it once."""
    _of(access, webhook_id)
    made = services.rotate_webhook(
        space=access.space, webhook_id=webhook_id, actor=access.actor, now=timezone.now()
    )
    if not request.htmx:
        return _logged(request, access, webhook_id, made=made)
    context = {"webhook": made, "made": made}
    return _secret(render(request, "memory/webhooks/_rotation.html", context))


@require_POST
@space_page("admin")
def delete(request: PageRequest, access: Access, webhook_id: UUID) -> HttpResponse:
    """Delete the webhook."""
    _of(access, webhook_id)
    services.delete_webhook(
        space=access.space, webhook_id=webhook_id, actor=access.actor, now=timezone.now()
    )
    return redirect("webhooks", access.space.slug)


def _of(access: Access, webhook_id: UUID) -> Webhook:
    return get_object_or_404(Webhook.objects.in_space(access.space), pk=webhook_id)


def _listed(request: PageRequest, access: Access, **more: Any) -> HttpResponse:
    rows = Webhook.objects.in_space(access.space).order_by("-created_at", "pk")
    sent = more["asked"].getlist("events") if "asked" in more else WebhookEvent.values
    events = [(value, label, value in sent) for value, label in WebhookEvent.choices]
    context = {"webhooks": rows, "events": events, **more}
    template = "memory/webhooks/_webhooks.html" if request.htmx else "memory/webhooks/webhooks.html"
    return _secret(render(request, template, context))


def _logged(request: PageRequest, access: Access, webhook_id: UUID, **more: Any) -> HttpResponse:
    found = _of(access, webhook_id)
    rows = WebhookDelivery.objects.in_space(access.space).filter(webhook=found)
    cursor = request.GET.get("cursor") or None
    deliveries, following = keyset("-created_at").page(rows, limit=PAGE_SIZE, cursor=cursor)
    due = any(d.state == "pending" and d.attempts == 0 for d in deliveries) and found.active
    context = {"webhook": found, "deliveries": deliveries, "next": following, "soon": due}
    template = (
        "memory/webhooks/_deliveries.html" if request.htmx else "memory/webhooks/webhook.html"
    )
    return _secret(render(request, template, context | more))


def _secret(response: HttpResponse) -> HttpResponse:
    """Return the response marked as not cacheable, because it may contain a webhook's secret."""
    response["Cache-Control"] = "no-store"
    return response
