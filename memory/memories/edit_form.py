"""In-place editing of a memory: the fields of templates/memory/memories/_edit.html."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.authentication import Access
from accounts.pages import PageRequest
from foundation.errors import Conflict
from memory.drafts import MAX_CONTENT, MemoryChange
from memory.models import Memory, Status
from memory.models.choices import MemoryType
from memory.store.services import revise_memory

SENTENCES = {
    "content": _("Enter 1 to 20,000 characters."),
    "memory_type": _("Choose a type from the list."),
    "importance": _("Enter a number from 0 to 1."),
    "tags": _("Enter at most 20 tags, separated by commas, of at most 60 characters each."),
}
IN_THE_BIN = _("This memory is in the bin. Restore it first.")
OVERTAKEN = _(
    "Someone changed this memory while you were editing. Save again to replace this text:"
)


class Content(forms.CharField):
    """The text of a memory."""

    def to_python(self, value: Any) -> Any:
        """Return the text with the browser's CRLF line breaks as LF."""
        return super().to_python((value or "").replace("\r\n", "\n"))


class EditForm(forms.Form):
    """A memory's text, type and importance; `revision` is the revision that was shown."""

    content = Content(max_length=MAX_CONTENT)
    memory_type = forms.ChoiceField(choices=MemoryType.choices)
    importance = forms.FloatField(min_value=0, max_value=1)
    revision = forms.IntegerField(required=False)

    def change_of(self, memory: Memory) -> MemoryChange:
        """Return the change of a valid form. An importance left as shown is not changed."""
        sent = self.cleaned_data
        is_as_shown = sent["importance"] == round(memory.importance, 2)
        return MemoryChange(
            content=sent["content"],
            memory_type=sent["memory_type"],
            importance=None if is_as_shown else sent["importance"],
        )


def edited(
    request: PageRequest, access: Access, memory: Memory, *, reason: str = ""
) -> dict[str, Any] | None:
    """Return the context of the edit form, or None once a submitted form has changed the memory.

    If another user changed the memory first, nothing is written; the form reports that and keeps
    the typed text.
    """
    form = EditForm(request.POST if request.method == "POST" else None, initial=_initial(memory))
    context: dict[str, Any] = {"memory": memory, "form": form, "revision": form["revision"].value()}
    if not form.is_bound:
        return context
    if not form.is_valid():
        return context | {"error": SENTENCES.get(next(iter(form.errors)), OVERTAKEN)}
    try:
        revise_memory(
            space=access.space,
            memory_id=memory.pk,
            change=form.change_of(memory),
            actor=access.actor,
            now=timezone.now(),
            reason=reason,
            known=form.cleaned_data["revision"],
        )
    except Conflict:
        memory.refresh_from_db(
            from_queryset=Memory.objects.in_space(access.space).readable_by(access.reader)
        )
        return context | _overtaken(memory)
    return None


def _initial(memory: Memory) -> dict[str, Any]:
    return {
        "content": memory.content,
        "memory_type": memory.memory_type,
        "importance": f"{memory.importance:.2f}",
        "revision": memory.revision,
    }


def _overtaken(memory: Memory) -> dict[str, Any]:
    """Return the form's error and the memory's current state after a conflicting change."""
    if memory.status == Status.BINNED:
        return {"revision": memory.revision, "error": IN_THE_BIN}
    return {"revision": memory.revision, "error": OVERTAKEN, "says_now": memory.content}
