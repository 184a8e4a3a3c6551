"""Memories of all spaces: search, edit, approve, reject, delete, restore and purge."""

from functools import partial
from typing import Any, Protocol
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from memory.admin.base import AT_ONCE, BY_SPACE, STARTS, ReadOnlyAdmin, actor_of, one_by_one
from memory.admin.forms import MemoryForm
from memory.embeddings import EmbeddingError
from memory.models import Memory, Reason, Status
from memory.models.reasons import in_words
from memory.retention.recycle_bin import delete_memory, purge_memory, restore_memory
from memory.review.services import approve_memory, reject_memory
from memory.store.services import revise_memory

_COLOURS = {Status.LIVE: "success", Status.REVIEW: "warning", Status.BINNED: "danger"}


class Verb(Protocol):
    """A service that performs one action on one memory."""

    def __call__(self, *, space: Space, memory_id: UUID, actor: Actor, now: Any) -> object: ...


@admin.register(Memory)
class MemoryAdmin(ReadOnlyAdmin):
    """Memories of all spaces, with moderation actions."""

    list_display = (
        "content_start", "space", "state", "memory_type", "weight", "held_because",
        "created_at",
    )  # fmt: skip
    list_filter = (
        BY_SPACE, ("status", ChoicesDropdownFilter), ("memory_type", ChoicesDropdownFilter),
        ("bin_reason", ChoicesDropdownFilter), "pinned", ("created_at", admin.DateFieldListFilter),
    )  # fmt: skip
    list_select_related = ("space",)
    search_fields = ("content",)
    search_help_text = _("Search text or ID")
    ordering = ("-created_at", "-pk")
    actions = ("approve", "reject", "move_to_bin", "restore", "purge")
    form = MemoryForm
    fieldsets = (
        (None, {"fields": ("content", "memory_type", "importance", "tags", "pinned")}),
        (
            _("State"),
            {
                "fields": (
                    "space", "short_id", "status", "held_because", "revision", "what_happened",
                    "use_count", "last_active_at", "created_at", "expires_at", "binned_at",
                    "bin_reason",
                )
            },
        ),
        (
            _("Where it comes from"),
            {
                "fields": (
                    "source_role", "source_speaker", "source_conversation", "source_assessment",
                )
            },
        ),
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Memory]:
        """Leave the long columns out of lists."""
        rows: QuerySet[Memory] = super().get_queryset(request)
        return rows.defer("search", "facets", "topics")

    def get_list_display(self, request: HttpRequest) -> list[str]:
        """Show the reason for review only in the list of what waits; elsewhere it is empty."""
        waiting = request.GET.get("status__exact") == Status.REVIEW
        return [name for name in self.list_display if waiting or name != "held_because"]

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[Memory], bool]:
        """Search by id, which uses an index, or else by words."""
        try:
            return queryset.referred_to(search_term.strip().lower()), False
        except ValueError:
            rows, repeats = super().get_search_results(request, queryset, search_term)
            return rows, repeats

    def get_readonly_fields(self, request: HttpRequest, obj: Memory | None = None) -> list[str]:
        """Return all fields outside the first fieldset, which alone is edited."""
        shown = [name for _title, part in self.fieldsets[1:] for name in part["fields"]]
        return [str(name) for name in shown]

    def has_change_permission(self, request: HttpRequest, obj: Memory | None = None) -> bool:
        """Allow moderators to change memories that are not in the bin."""
        binned = obj is not None and obj.status == Status.BINNED
        return self.has_moderate_permission(request) and not binned

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may change memories."""
        return request.user.has_perm("memory.change_memory")

    def has_purge_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may purge memories."""
        return request.user.has_perm("memory.delete_memory")

    @admin.display(description=_("content"))
    def content_start(self, memory: Memory) -> str:
        """Return the first characters of the content."""
        text = memory.content
        return text if len(text) <= STARTS else f"{text[:STARTS]}…"

    @admin.display(description=_("review reason"), empty_value="-")
    def held_because(self, memory: Memory) -> str | None:
        """Return the reason for review in the moderator's language."""
        return in_words(memory.review_reason) or None

    @display(description=_("status"), label=_COLOURS)
    def state(self, memory: Memory) -> tuple[str, str]:
        """Return the status and its label, which gets the status's colour."""
        return memory.status, str(Status(memory.status).label)

    @admin.display(description=_("importance"), ordering="importance")
    def weight(self, memory: Memory) -> str:
        """Return the importance with two digits."""
        return f"{memory.importance:.2f}"

    @admin.display(description=_("history"))
    def what_happened(self, memory: Memory) -> str:
        """Return a link to the memory's history."""
        return format_html('<a href="{}">{}</a>', _history_of(memory.pk), _("History"))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponseRedirect:
        """Redirect to Ebb's own history, which includes changes made outside the admin."""
        return redirect(_history_of(object_id))

    def save_model(self, request: HttpRequest, obj: Memory, form: MemoryForm, change: bool) -> None:
        """Save through the service: a revision, new vectors, a history event."""
        revise_memory(
            space=obj.space,
            memory_id=obj.pk,
            change=form.change,
            actor=actor_of(request),
            now=timezone.now(),
            reason=Reason("changed_in_admin"),
        )

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Show a message, instead of an error page, if the memory could not be saved."""
        try:
            answer: HttpResponse = super().changeform_view(
                request, object_id, form_url, extra_context
            )
        except (Conflict, NotFound):
            messages.error(request, _("The memory has changed in the meantime."))
        except EmbeddingError:
            said = _("The embedding model does not answer. Nothing was changed. Try again later.")
            messages.error(request, said)
        else:
            return answer
        return redirect(request.path)

    @admin.action(description=_("Approve"), permissions=["moderate"])
    def approve(self, request: HttpRequest, memories: QuerySet[Memory]) -> None:
        """Approve the selected memories."""
        done = ngettext_lazy("%(n)d memory approved.", "%(n)d memories approved.", "n")
        self._each(request, memories, approve_memory, done, _NOT_HELD)

    @admin.action(description=_("Reject"), permissions=["moderate"])
    def reject(self, request: HttpRequest, memories: QuerySet[Memory]) -> None:
        """Reject the selected memories."""
        done = ngettext_lazy("%(n)d memory rejected.", "%(n)d memories rejected.", "n")
        self._each(request, memories, reject_memory, done, _NOT_HELD)

    @admin.action(description=_("Move to the recycle bin"), permissions=["moderate"])
    def move_to_bin(self, request: HttpRequest, memories: QuerySet[Memory]) -> None:
        """Move the selected memories to the bin."""
        done = ngettext_lazy(
            "%(n)d memory moved to the bin.", "%(n)d memories moved to the bin.", "n"
        )
        self._each(request, memories, _move_to_bin, done, _IN_THE_BIN)

    @admin.action(description=_("Restore from the recycle bin"), permissions=["moderate"])
    def restore(self, request: HttpRequest, memories: QuerySet[Memory]) -> None:
        """Restore the selected memories from the bin."""
        done = ngettext_lazy("%(n)d memory restored.", "%(n)d memories restored.", "n")
        self._each(request, memories, restore_memory, done, _NOT_IN_THE_BIN)

    @admin.action(description=_("Purge"), permissions=["purge"])
    def purge(self, request: HttpRequest, memories: QuerySet[Memory]) -> HttpResponse | None:
        """Purge the selected memories, after a confirmation page."""
        if request.POST.get("sure") != "yes":
            return self._ask_before_purge(request, memories)
        done = ngettext_lazy("%(n)d memory purged.", "%(n)d memories purged.", "n")
        self._each(request, memories, purge_memory, done, _NOT_IN_THE_BIN)
        return None

    def _ask_before_purge(
        self, request: HttpRequest, memories: QuerySet[Memory]
    ) -> HttpResponse | None:
        chosen = list(memories.select_related("space")[:AT_ONCE])
        binned = [memory for memory in chosen if memory.status == Status.BINNED]
        if len(binned) < len(chosen):
            messages.warning(request, _NOT_IN_THE_BIN % {"n": len(chosen) - len(binned)})
        if not binned:
            return None
        context = self.admin_site.each_context(request) | {
            "title": _("Purge permanently?"),
            "opts": self.opts,
            "memories": binned,
            "checkbox": ACTION_CHECKBOX_NAME,
        }
        return render(request, "admin/memory/purge.html", context)

    def _each(
        self, request: HttpRequest, memories: QuerySet[Memory], verb: Verb, done: Any, left: Any
    ) -> None:
        def act(memory: Memory) -> object:
            act_on = partial(verb, space=memory.space, memory_id=memory.pk)
            return act_on(actor=actor_of(request), now=timezone.now())

        one_by_one(request, memories.select_related("space"), act, done=done, left=left)


_NOT_HELD = ngettext_lazy(
    "%(n)d skipped: it is not waiting for review.",
    "%(n)d skipped: they are not waiting for review.",
    "n",
)
_IN_THE_BIN = ngettext_lazy(
    "%(n)d skipped: it is already in the bin.",
    "%(n)d skipped: they are already in the bin.",
    "n",
)
_NOT_IN_THE_BIN = ngettext_lazy(
    "%(n)d skipped: it is not in the bin.",
    "%(n)d skipped: they are not in the bin.",
    "n",
)


def _move_to_bin(*, space: Space, memory_id: UUID, actor: Actor, now: Any) -> object:
    """Delete a memory; raises Conflict if the memory is in the bin already."""
    if Memory.objects.in_space(space).binned().filter(pk=memory_id).exists():
        raise Conflict("The memory is already in the bin.")
    return delete_memory(space=space, memory_id=memory_id, actor=actor, now=now)


def _history_of(memory_id: UUID | str) -> str:
    return f"{reverse('admin:memory_memoryevent_changelist')}?memory_id__exact={memory_id}"
