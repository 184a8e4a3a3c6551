"""Editing a memory in place: the fields of templates/memory/memories/_edit.html."""

from typing import Any

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError

from memory.access.authentication import Access
from memory.access.pages import PageRequest
from memory.drafts import MemoryChange
from memory.errors import Conflict
from memory.models import Memory, Status
from memory.models.memories import MemoryType
from memory.store.services import revise_memory

SENTENCES = {
    "content": _("It has to say something, in 20,000 characters at most."),
    "memory_type": _("There is no such type."),
    "importance": _("Importance is a number from 0 to 1."),
}
IN_THE_BIN = _("It is in the bin; take it back first.")
OVERTAKEN = _("It was changed while you wrote. Save again to put yours in the place of:")


def edited(
    request: PageRequest, access: Access, memory: Memory, *, reason: str = ""
) -> dict[str, Any] | None:
    """What a view draws in the memory's place: the form, or None once a sent one has changed it.

    Where somebody else was faster nothing is written, and the form says so with what was typed.
    """
    if request.method != "POST":
        return _edit_form(memory)
    try:
        change = _asked_change(memory, request.POST)
    except ValidationError as error:
        return _refused_form(memory, request.POST, error)
    revision = request.POST.get("revision", "")
    try:
        revise_memory(
            space=access.space,
            memory_id=memory.pk,
            change=change,
            actor=access.actor,
            now=timezone.now(),
            reason=reason,
            known=int(revision[:9]) if revision.isdecimal() else None,
        )
    except Conflict:
        memory.refresh_from_db(from_queryset=Memory.objects.in_space(access.space))
        return _overtaken_form(memory, request.POST)
    return None


def _edit_form(memory: Memory) -> dict[str, Any]:
    """The form's fields, filled with what the memory says."""
    return {
        "memory": memory,
        "content": memory.content,
        "memory_type": memory.memory_type,
        "importance": _shown(memory),
        "revision": memory.revision,
        "types": MemoryType.choices,
    }


def _refused_form(memory: Memory, posted: QueryDict, error: ValidationError) -> dict[str, Any]:
    """The form as it was sent, and a sentence on the first thing wrong with it."""
    field = str(error.errors()[0]["loc"][0])
    sent = {"revision": posted.get("revision", ""), "error": SENTENCES[field]}
    return _edit_form(memory) | _sent(posted) | sent


def _overtaken_form(memory: Memory, posted: QueryDict) -> dict[str, Any]:
    """The form as it was sent, for the memory as it is by now."""
    form = _edit_form(memory) | _sent(posted)
    if memory.status == Status.BINNED:
        return form | {"error": IN_THE_BIN}
    return form | {"error": OVERTAKEN, "says_now": memory.content}


def _sent(posted: QueryDict) -> dict[str, str]:
    return {name: posted.get(name, "") for name in ("content", "memory_type", "importance")}


def _asked_change(memory: Memory, posted: QueryDict) -> MemoryChange:
    """What a sent form asks for; raises pydantic's ValidationError.

    An importance that was left as it was shown stays what it is, to the last digit.
    """
    importance = posted.get("importance", "")
    return MemoryChange.model_validate(
        {
            # A browser sends the line breaks of a text field as two characters.
            "content": posted.get("content", "").replace("\r\n", "\n"),
            "memory_type": posted.get("memory_type", ""),
            "importance": None if importance == _shown(memory) else _number(importance),
        }
    )


def _shown(memory: Memory) -> str:
    return f"{memory.importance:.2f}"


def _number(text: str) -> float | str:
    """What is no number stays what it is: the change refuses it in its own words."""
    try:
        return float(text)
    except ValueError:
        return text
