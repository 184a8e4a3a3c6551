"""JSON API of a space's usage of models."""

from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from accounts.authentication import access_to
from memory.model_connections.schemas import UsageIn, UsageList
from memory.models import ModelUsage

router = Router(tags=["usage"])

BY_DEFAULT = timedelta(days=30)
MOST = 10_000
"""The number of rows in an answer."""


@router.get("usage", response=UsageList, url_name="usage_list", operation_id="listUsage")
def list_usage(request: HttpRequest, asked: Query[UsageIn]) -> dict[str, object]:
    """List the calls to models in this space: tokens and cost by day, purpose and model. Failed
    calls are included."""
    space = access_to(request, "admin").space
    since = asked.since or (timezone.now() - BY_DEFAULT).date()
    rows = ModelUsage.objects.in_space(space).filter(day__gte=since)
    ordered = rows.order_by("-day", "purpose", "connection_name", "model")
    return {"items": list(ordered[:MOST]), "next": None}
