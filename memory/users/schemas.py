"""Schemas of a space's users."""

from datetime import datetime
from typing import Annotated

from ninja import Field, Schema

from foundation.http.requests import Limit
from foundation.texts.fields import UserName
from memory.users.services import UserOfSpace


class UsersIn(Schema):
    """The position in the list: `cursor` is the last user of the previous page."""

    limit: Limit = 50
    cursor: UserName | None = None


class UserOut(Schema):
    """A user of the space, with the numbers of their rows."""

    user_id: str
    memories: Annotated[int, Field(description="Memories, also those in review or in the bin.")]
    conversations: int
    assessments: int
    last_active: datetime

    @classmethod
    def of(cls, user: UserOfSpace) -> "UserOut":
        """Return the user as JSON fields."""
        return cls(
            user_id=user.user_id,
            memories=user.counts.get("memory", 0),
            conversations=user.counts.get("conversation", 0),
            assessments=user.counts.get("assessment", 0),
            last_active=user.last_active,
        )


class UserList(Schema):
    """One page of users; `next` is the cursor of the following page."""

    items: list[UserOut]
    next: str | None
