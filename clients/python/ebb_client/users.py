"""The JSON of a space's users, and of the names that a memory has from its caller."""

from typing import Any, TypedDict


class NamesIn(TypedDict, total=False):
    """A new memory's user, and the caller's own names and values."""

    user_id: str
    agent_id: str
    session_id: str
    external_id: str
    metadata: dict[str, Any]


class NameChanges(TypedDict, total=False):
    """Changes of a memory's names; null removes one. A change of the user needs the scope admin."""

    user_id: str | None
    agent_id: str | None
    session_id: str | None
    external_id: str | None
    metadata: dict[str, Any]


class Names(TypedDict):
    """A memory's user, null if all users share it, and the caller's own names and values."""

    user_id: str | None
    agent_id: str | None
    session_id: str | None
    external_id: str | None
    metadata: dict[str, Any]


class UserOfSpace(TypedDict):
    """A user of the space, with the numbers of their rows."""

    user_id: str
    memories: int
    conversations: int
    assessments: int
    last_active: str


class Job(TypedDict):
    """A job and its progress; when it is done, with its result."""

    id: str
    kind: str
    status: str
    done: int
    total: int | None
    error: str
    result: dict[str, Any]
