"""The reader of a request: the user for whom it reads and writes.

A space may have many users. A memory, a conversation or an assessment belongs to one user of the
space, or is *shared* by all, with `user_id` null. The caller chooses the names of users.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q

from foundation.texts.names import checked_name, checked_user


def validate_user(text: str) -> None:
    """Validate a column with a user's name; raises Django's ValidationError."""
    try:
        checked_user(text)
    except ValueError as error:
        raise ValidationError(str(error)) from None


def validate_name(text: str) -> None:
    """Validate a column with another name; raises Django's ValidationError."""
    try:
        checked_name(text)
    except ValueError as error:
        raise ValidationError(str(error)) from None


@dataclass(frozen=True)
class Reader:
    """A user with the shared rows, a user's own rows only, the shared rows only, or everybody.

    Without a `user_id` the reader sees what is shared. `everyone` sees all rows.
    """

    user_id: str | None = None
    with_shared: bool = True
    everyone: bool = False

    @classmethod
    def exactly(cls, user_id: str | None) -> Reader:
        """Return the reader of one user's own rows, or of the shared rows for None."""
        return cls(user_id, with_shared=user_id is None)

    @property
    def nameless(self) -> Reader:
        """The same kind of reader without the name, so that all users share one SQL text."""
        return replace(self, user_id=self.user_id and "")

    def where(self, column: str = "user_id", name: Any = None) -> Q:
        """Return the condition on rows whose user is in this column. `name` replaces the user's
        name, for SQL that gets it as a parameter."""
        if self.everyone:
            return Q()
        shared = Q(**{f"{column}__isnull": True})
        if self.user_id is None:
            return shared
        own = Q(**{column: self.user_id if name is None else name})
        return shared | own if self.with_shared else own

    def sql(self, column: str) -> str:
        """Return the condition as SQL with the parameter `%(user)s`, to be joined by AND."""
        if self.everyone:
            return "TRUE"
        if self.user_id is None:
            return f"{column} IS NULL"
        own = f"{column} = %(user)s"
        return f"({column} IS NULL OR {own})" if self.with_shared else own

    def sees(self, user_id: str | None) -> bool:
        """Return true if this reader sees the rows of this user, or the shared ones for None."""
        if self.everyone or user_id == self.user_id:
            return True
        return user_id is None and self.with_shared

    def may_change(self, user_id: str | None) -> bool:
        """Return true if this reader may change rows of this user: a user changes no shared row,
        because the others would read it."""
        return self.everyone or user_id == self.user_id


SHARED = Reader()
EVERYONE = Reader(everyone=True)
