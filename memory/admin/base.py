"""Shared parts of the admin's tables: lists without counting, and actions row by row."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib import admin, messages
from django.contrib.admin import ShowFacets
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import AutocompleteSelectFilter
from unfold.paginator import InfinitePaginator

from accounts import roles
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from memory.store.history_labels import who

STARTS = 160
"""Characters of a text in a list."""

AT_ONCE = 500
"""Maximum number of rows per action."""

BY_SPACE = ("space", AutocompleteSelectFilter)
"""A filter with autocompletion, because the list of all spaces may be very long."""

Row = TypeVar("Row", bound=Model)


class ReadOnlyAdmin(ModelAdmin):
    """Base for rows that only services write, in tables too large to count."""

    paginator = InfinitePaginator  # previous and next only: page numbers need a count of the rows
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    list_per_page = 30
    list_filter_submit = True
    list_disable_select_all = True
    list_fullwidth = True

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out what cannot be edited and is empty: a row uses few of its columns."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None:
            return fieldsets
        fixed = set(self.get_readonly_fields(request, obj))
        is_fixed = not self.has_change_permission(request, obj)
        shown = [
            (title, {**options, "fields": [
                name for name in options["fields"]
                if not ((is_fixed or name in fixed) and self._is_empty(obj, name))
            ]})
            for title, options in fieldsets
        ]  # fmt: skip
        return [part for part in shown if part[1]["fields"]]

    def _is_empty(self, row: Any, name: Any) -> bool:
        method = name if callable(name) else getattr(self, name, None)
        value = method(row) if callable(method) else getattr(row, name)
        return value is None or (isinstance(value, str | list | dict) and not value)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class OperatorsAdmin(ModelAdmin):
    """First base of lists that only operators open, whatever a group's permissions say: a person
    who manages accounts or keys could give themselves any right."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return roles.may_operate(request.user) and bool(super().has_module_permission(request))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return roles.may_operate(request.user) and bool(super().has_view_permission(request, obj))

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        allowed = super().has_add_permission(request, *args)
        return roles.may_operate(request.user) and bool(allowed)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return roles.may_operate(request.user) and bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return roles.may_operate(request.user) and bool(super().has_delete_permission(request, obj))


def actor_of(request: HttpRequest) -> Actor:
    """Return the logged-in user as the actor for the history."""
    return Actor("user", request.user.get_username())


@admin.display(description=gettext_lazy("actor"), ordering="actor_name")
def actor(row: Model) -> str:
    """Return who did it, in the reader's language."""
    return capfirst(who(row))


def one_by_one(
    request: HttpRequest,
    rows: QuerySet[Row],
    verb: Callable[[Row], object],
    *,
    done: Any,
    left: Any,
) -> None:
    """Apply an action to each row, in a transaction of its own, and report the numbers.

    `done` and `left` are lazy plurals of `n`; `left` reports rows that raised Conflict or NotFound.
    """
    chosen = list(rows[: AT_ONCE + 1])
    if len(chosen) > AT_ONCE:
        messages.error(
            request, _("Select at most %(n)d at a time. Nothing was changed.") % {"n": AT_ONCE}
        )
        return
    refused = 0
    for row in chosen:
        try:
            verb(row)
        except (Conflict, NotFound):
            refused += 1
    if worked := len(chosen) - refused:
        messages.success(request, done % {"n": worked})
    if refused:
        messages.warning(request, left % {"n": refused})
