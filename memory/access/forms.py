"""What pages are sent, read by Django's forms."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict


def uuid_in(text: str | None) -> UUID:
    """Return the id that a text is, else the nil id, which nothing has."""
    try:
        return UUID(text or "")
    except ValueError:
        return UUID(int=0)


class SentText(forms.CharField):
    """A text that may be empty, without the NULs that PostgreSQL cannot store, cut at `longest`."""

    def __init__(self, longest: int | None = None) -> None:
        super().__init__(required=False)
        self.longest = longest

    def clean(self, value: str | None) -> str:
        """Return the text as it is used."""
        text: str = super().clean((value or "").replace("\x00", ""))
        return text[: self.longest]


class OneOf(forms.ChoiceField):
    """One of some values; nothing means `initial`."""

    def __init__(self, values: Iterable[str], initial: str = "") -> None:
        choices = [(value, value) for value in values]
        super().__init__(choices=choices, initial=initial, required=False)


class AddressForm(forms.Form):
    """What a list is narrowed to, as its address says it."""

    @classmethod
    def read(cls, address: QueryDict) -> dict[str, Any]:
        """Return each field's value. What is not known is left out, so that an old or mistyped
        address still shows a list."""
        form = cls(address)
        form.full_clean()
        return {
            name: form.cleaned_data.get(name) or field.initial or ""
            for name, field in form.fields.items()
        }
