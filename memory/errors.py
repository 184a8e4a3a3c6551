"""What can go wrong in the memory core. Services raise; config.errors answers."""

from dataclasses import dataclass


class EbbError(Exception):
    """Base of this app's errors."""


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one argument."""

    field: str
    message: str


class InvalidArguments(EbbError):
    """An argument is not acceptable; nothing was written."""

    def __init__(self, *errors: FieldError) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{e.field}: {e.message}" for e in errors))


class NotFound(EbbError):
    """No such thing in this space."""


class Forbidden(EbbError):
    """The key's scopes or the member's role do not allow it."""


class Conflict(EbbError):
    """The state of the thing does not allow it now."""


class RateLimited(EbbError):
    """The key has asked too often; `retry_after` seconds from now it may ask again."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        self.retry_after = retry_after
        super().__init__(message)
