"""Bulk actions on the memories selected in the list; each can be undone."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRefresh
from pydantic import TypeAdapter, ValidationError

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict
from memory.drafts import MemoryTypeName, Tag
from memory.memories import bulk
from memory.memories.filters import Filters
from memory.memories.undo import Undone
from memory.memories.undo import undo as undo_action
from memory.memories.views.list import listed
from memory.selection import selected_ids

_TAG: TypeAdapter[str] = TypeAdapter(Tag)
_TYPE: TypeAdapter[MemoryTypeName] = TypeAdapter(MemoryTypeName)

# The message after each action.
SAID = {
    "pin": ngettext_lazy("%(n)d memory pinned.", "%(n)d memories pinned.", "n"),
    "unpin": ngettext_lazy("%(n)d memory unpinned.", "%(n)d memories unpinned.", "n"),
    "delete": ngettext_lazy(
        "%(n)d memory moved to the bin.", "%(n)d memories moved to the bin.", "n"
    ),
    "tag": ngettext_lazy("Tag added to %(n)d memory.", "Tag added to %(n)d memories.", "n"),
    "untag": ngettext_lazy(
        "Tag removed from %(n)d memory.", "Tag removed from %(n)d memories.", "n"
    ),
    "retype": ngettext_lazy(
        "Type changed for %(n)d memory.", "Type changed for %(n)d memories.", "n"
    ),
}


@require_POST
@space_page("write")
def change(request: PageRequest, access: Access, action: str) -> HttpResponse:
    """Apply one of the actions in SAID to the selected memories; render the list with an undo."""
    if action not in SAID:
        raise Http404
    chosen, actor = selected_ids(request.POST), access.actor.in_action()
    if not chosen:
        return _drawn(request, access, _("Select memories first."), "warning")
    who: dict[str, Any] = {"space": access.space, "actor": actor, "now": timezone.now()}
    try:
        changed = _act(request, action, who | {"memory_ids": chosen})
    except (ValidationError, Conflict):
        return _drawn(request, access, _refusal(action), "warning")
    if not changed:
        return _drawn(request, access, _("Nothing to change."), "info")
    undo = reverse("memories_undo", args=[access.space.slug, actor.action_id])
    return _drawn(request, access, SAID[action] % {"n": changed}, "success", undo_url=undo)


def _act(request: PageRequest, action: str, asked: dict[str, Any]) -> int:
    """Return the number of changed memories. Raises pydantic's ValidationError, Conflict."""
    if action in {"pin", "unpin"}:
        return bulk.pin_memories(pinned=action == "pin", **asked)
    if action == "delete":
        return bulk.delete_memories(**asked)
    if action == "retype":
        kind = _TYPE.validate_python(request.POST.get("to_type", ""))
        return bulk.retype_memories(memory_type=kind, **asked)
    tag = _TAG.validate_python(request.POST.get("to_tag", ""))
    verb = bulk.tag_memories if action == "tag" else bulk.untag_memories
    return verb(tag=tag, **asked)


def _refusal(action: str) -> str:
    if action == "retype":
        return _("Choose a type first.")
    return _("Nothing was changed: a tag needs 1 to 60 characters, and a memory can have 20 tags.")


@require_POST
@space_page("write")
def undo(request: PageRequest, access: Access, action_id: UUID) -> HttpResponse:
    """Undo one action of `change` and reload the page."""
    undone = undo_action(
        space=access.space, action_id=action_id, actor=access.actor, now=timezone.now()
    )
    messages.info(request, _said(undone))
    return HttpResponseClientRefresh()


def _said(undone: Undone) -> str:
    text = ngettext("Undone for %(n)d memory.", "Undone for %(n)d memories.", undone.back)
    if not undone.left:
        return text % {"n": undone.back}
    left = ngettext(
        "%(n)d was changed later and stays as it is.",
        "%(n)d were changed later and stay as they are.",
        undone.left,
    )
    return f"{text % {'n': undone.back}} {left % {'n': undone.left}}"


def _drawn(
    request: PageRequest, access: Access, text: str, level: str, undo_url: str = ""
) -> HttpResponse:
    """Render the list by the URL's filters, from its first page, with a message."""
    asked = Filters.of(request.GET)
    if not request.htmx:
        messages.info(request, text)
        address = reverse("memories", args=[access.space.slug])
        return redirect(f"{address}?{asked.address}")
    context = listed(access, asked) | {"text": text, "level": level, "undo_url": undo_url}
    return render(request, "memory/memories/_list_done.html", context)
