"""Form fields and forms for the data that pages send."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict

from foundation.texts.storable import storable


def uuid_in(text: str | None) -> UUID:
    """Return the text as a UUID, or the nil UUID, which no row has, if it is not one."""
    try:
        return UUID(text or "")
    except ValueError:
        return UUID(int=0)


class SentText(forms.CharField):
    """An optional text, cut at `longest`, without NULs, which PostgreSQL cannot store. With `is_id`
    it is kept as it is."""

    def __init__(self, longest: int | None = None, *, is_id: bool = False) -> None:
        super().__init__(required=False)
        self.longest, self.is_id = longest, is_id

    def clean(self, value: str | None) -> str:
        """Return the text as it is stored, without NULs, at most `longest` characters."""
        text: str = super().clean((value or "").replace("\x00", ""))
        return (text if self.is_id else storable(text))[: self.longest]


class OneOf(forms.ChoiceField):
    """A choice field; an empty value means `initial`."""

    def __init__(self, values: Iterable[str], initial: str = "") -> None:
        choices = [(value, value) for value in values]
        super().__init__(choices=choices, initial=initial, required=False)


class AddressForm(forms.Form):
    """The filters of a list, as given in its URL."""

    @classmethod
    def read(cls, address: QueryDict) -> dict[str, Any]:
        """Return each field's value. Unknown values are dropped, so that an old or mistyped URL
        still shows a list.
        """
        form = cls(address)
        form.full_clean()
        return {
            name: form.cleaned_data.get(name) or field.initial or ""
            for name, field in form.fields.items()
        }
