"""The admin pages of assessments: their states and errors, with an action to assess again."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from assessor.models import Assessment, State
from assessor.outbox.repeats import reassess
from assessor.reasoning_labels import reasoning_in_words
from assessor.templatetags.assessments import assessor_name, rubric_label
from memory.admin import BY_SPACE, ReadOnlyAdmin, actor_of, one_by_one

_COLOURS = {
    State.QUEUED: "info",
    State.RUNNING: "info",
    State.RETRYING: "warning",
    State.DONE: "success",
    State.FAILED: "danger",
}
_OF_FAILURES = ("attempts", "error")  # columns


@admin.register(Assessment)
class AssessmentAdmin(ReadOnlyAdmin):
    """List assessments read-only, with an action that assesses the selected rows again."""

    list_display = (
        "user_message_start", "state_shown", "space", "weight", "memory_type", "assessed_by",
        "attempts", "error", "created_at",
    )  # fmt: skip
    list_filter = (
        BY_SPACE, ("state", ChoicesDropdownFilter), ("created_at", admin.DateFieldListFilter),
    )  # fmt: skip
    list_select_related = ("space",)
    search_fields = ("user_message", "assistant_response", "summary")
    ordering = ("-created_at", "-pk")
    actions = ("reassess",)
    raw_id_fields = ("part_of",)
    exclude = ("provider", "rubric", "reasoning")
    readonly_fields = ("assessed_by", "rubric_shown", "reasoning_shown")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Assessment]:
        """Leave the long columns out of lists."""
        rows: QuerySet[Assessment] = super().get_queryset(request)
        return rows.defer("raw_answer", "context", "failed_tries")

    def get_list_display(self, request: HttpRequest) -> list[str]:
        """Show the error column only in lists of failed assessments; elsewhere it is empty."""
        failed = request.GET.get("state__exact") in {State.FAILED, State.RETRYING}
        return [name for name in self.list_display if failed or name not in _OF_FAILURES]

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[Assessment], bool]:
        """Search by id if the term is a UUID, as in the activity log, otherwise by words."""
        try:
            return queryset.filter(pk=UUID(search_term.strip())), False
        except ValueError:
            rows, repeats = super().get_search_results(request, queryset, search_term)
            return rows, repeats

    @admin.display(description=_("user message"))
    def user_message_start(self, assessment: Assessment) -> str:
        """Return the first 120 characters of the user's message."""
        return assessment.user_message[:120]

    @display(description=_("state"), label={**dict.fromkeys(State, ""), **_COLOURS})
    def state_shown(self, assessment: Assessment) -> tuple[str, str]:
        """Return the state and its label, which gets the state's colour."""
        return assessment.state, str(State(assessment.state).label)

    @admin.display(description=_("importance"), ordering="importance")
    def weight(self, assessment: Assessment) -> str | None:
        """Return the importance with two decimals, or None if not assessed."""
        return None if assessment.importance is None else f"{assessment.importance:.2f}"

    @admin.display(description=_("assessor"))
    def assessed_by(self, assessment: Assessment) -> str:
        """Return the assessor's name, or "" before the assessment."""
        return assessor_name(assessment) if assessment.provider else ""

    @admin.display(description=_("rubric"))
    def rubric_shown(self, assessment: Assessment) -> str:
        """Return the name of the rubric."""
        return rubric_label(assessment.rubric)

    @admin.display(description=_("reasoning"))
    def reasoning_shown(self, assessment: Assessment) -> str:
        """Return the reasoning, translated if the built-in assessor wrote it."""
        return reasoning_in_words(assessment.reasoning)

    @admin.action(description=_("Assess again"), permissions=["retry"])
    def reassess(self, request: HttpRequest, assessments: QuerySet[Assessment]) -> None:
        """Assess the selected rows again, and report how many were left unchanged."""

        def again(row: Assessment) -> None:
            reassess(
                space=row.space,
                assessment_id=row.pk,
                actor=actor_of(request),
                now=timezone.now(),
            )

        done = ngettext_lazy("%(n)d assessment restarted.", "%(n)d assessments restarted.", "n")
        left = ngettext_lazy(
            "%(n)d skipped: it is running, or its memory exists already.",
            "%(n)d skipped: they are running, or their memories exist already.",
            "n",
        )
        one_by_one(request, assessments.select_related("space"), again, done=done, left=left)

    def has_retry_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may assess rows again."""
        return request.user.has_perm("assessor.change_assessment")
