"""The admin's form for editing a memory."""

from typing import Any

from django import forms
from pydantic import ValidationError
from unfold.widgets import UnfoldAdminTextInputWidget

from foundation.errors import plainly
from memory.drafts import MemoryChange
from memory.memories.edit_form import SENTENCES
from memory.models import Memory


class MemoryForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable when run
    """A form validated by the same rules as the API (memory.drafts); the result is in `change`."""

    change = MemoryChange()

    class Meta:
        model = Memory
        fields = ("content", "memory_type", "importance", "tags", "pinned")
        widgets = {"tags": UnfoldAdminTextInputWidget()}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Two digits are shown; an importance that was not edited keeps all its digits.
        self.initial["importance"] = round(self.instance.importance or 0.0, 2)

    def clean_content(self) -> str:
        """Return the text with the browser's CRLF line breaks as LF."""
        return str(self.cleaned_data["content"]).replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        """Validate the edited fields, and keep them as `change`."""
        values = super().clean() or self.cleaned_data
        given = {name: values[name] for name in self.changed_data if name in values}
        try:
            self.change = MemoryChange.model_validate(given)
        except ValidationError as error:
            for wrong in error.errors():
                field = str(wrong["loc"][0])
                self.add_error(field, SENTENCES.get(field, plainly(wrong)))
        return values
