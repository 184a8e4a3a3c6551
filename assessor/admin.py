"""The admin over assessments: what waits, what failed and why; retry and look."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from assessor.models import Assessment, State
from assessor.services import retry
from memory.admin import ReadOnlyAdmin


@admin.register(Assessment)
class AssessmentAdmin(ReadOnlyAdmin):
    list_display = (
        "user_message_start", "state", "space", "importance", "memory_type", "provider",
        "attempts", "latency_ms", "created_at",
    )  # fmt: skip
    list_filter = ("state", "provider", "memory_type", "space")
    list_select_related = ("space",)
    search_fields = ("user_message", "assistant_response", "summary")
    date_hierarchy = "created_at"
    actions = ("try_again",)

    @admin.display(description=_("user message"), ordering="user_message")
    def user_message_start(self, assessment: Assessment) -> str:
        return assessment.user_message[:100]

    @admin.action(description=_("Try failed ones again"), permissions=["retry"])
    def try_again(self, request: HttpRequest, assessments: QuerySet[Assessment]) -> None:
        failed = list(assessments.filter(state=State.FAILED).select_related("space"))
        for assessment in failed:
            retry(space=assessment.space, assessment_id=assessment.pk, now=timezone.now())
        queued = ngettext("%(n)d queued again.", "%(n)d queued again.", len(failed))
        messages.success(request, queued % {"n": len(failed)})

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("assessor.change_assessment")
