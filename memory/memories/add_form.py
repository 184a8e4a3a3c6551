"""The form that adds a memory by hand: the fields of templates/memory/memories/_add.html."""

import re
from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError

from foundation.texts.names import MAX_NAME
from memory.drafts import MAX_CONTENT, MemoryAsked
from memory.formulas.importance import TYPE_IMPORTANCE
from memory.formulas.retention import Tiers, expires_at
from memory.memories.edit_form import Content
from memory.models.choices import MemoryType

_ERRORS = {
    "content": _("Enter 1 to 20,000 characters."),
    "tags": _("Enter at most 20 tags, separated by commas, of at most 60 characters each."),
    "importance": _("Enter a number from 0 to 1, or leave this empty."),
    "user_id": _("Enter a name of at most 255 characters, without control characters."),
}


class AddForm(forms.Form):
    """A memory's text, type, importance, tags and user. Once valid, `draft` is the memory to save.

    An empty importance is that of the type; an empty user shares the memory with all users.
    """

    content = Content(max_length=MAX_CONTENT, error_messages={"required": _ERRORS["content"]})
    memory_type = forms.ChoiceField(choices=MemoryType.choices, initial=MemoryType.FACT)
    importance = forms.FloatField(
        min_value=0, max_value=1, required=False, error_messages={"invalid": _ERRORS["importance"]}
    )
    tags = forms.CharField(required=False)
    pinned = forms.BooleanField(required=False)
    user_id = forms.CharField(required=False, max_length=MAX_NAME)
    draft: MemoryAsked

    def clean(self) -> dict[str, Any]:
        """Make the draft; add an error to each field that it refuses."""
        sent: dict[str, Any] = self.cleaned_data
        if self.errors:
            return sent
        tags = [tag for tag in re.split(r"[,，、]", sent["tags"]) if tag.strip()]
        asked = sent | {"tags": tags, "user_id": sent["user_id"] or None}
        try:
            self.draft = MemoryAsked(**asked, on_duplicate="reinforce")
        except ValidationError as refused:
            for error in refused.errors():
                name = str(error["loc"][0])
                self.add_error(name, _ERRORS[name])
        return sent


def lifetime_of(sent: dict[str, Any], tiers: Tiers, now: datetime) -> datetime | None:
    """Return when a memory with these form values would expire; None for never."""
    if sent.get("pinned"):
        return None
    try:
        importance = float(sent.get("importance") or "")
    except ValueError:
        importance = TYPE_IMPORTANCE.get(sent.get("memory_type", ""), TYPE_IMPORTANCE["fact"])
    return expires_at(now, min(max(importance, 0.0), 1.0), tiers)
