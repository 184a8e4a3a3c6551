"""The page of tokens and cost: of a space for its owners, of all spaces for operators."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts import roles
from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from chat.usage.report import DAYS, usage_report
from memory.models import ModelUsage, UsagePurpose
from memory.retention.charts import stacked


@require_GET
@space_page("admin")
def usage(request: PageRequest, access: Access) -> HttpResponse:
    """Show the usage of models in this space, or in all spaces if an operator asks for it."""
    is_operator = roles.may_operate(request.user)
    everywhere = is_operator and request.GET.get("where") == "all"
    rows = ModelUsage.objects.all() if everywhere else ModelUsage.objects.in_space(access.space)
    report = usage_report(rows, timezone.now().date())
    context = {
        "report": report,
        "bars": stacked({day.day: day.tokens for day in report.days}),
        "days": [day for day in reversed(report.days) if day.sums.calls],
        "purposes": UsagePurpose.choices,
        "period": DAYS,
        "everywhere": everywhere,
        "is_operator": is_operator,
    }
    return render(request, "chat/usage.html", context)
