"""What can go wrong in the memory core. Services raise; config.errors answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError


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


class ProviderError(Exception):
    """A model could not be used. `permanent` says that trying again cannot help; `retry_after` is
    in seconds, if the endpoint asked for a pause."""

    def __init__(self, message: str, *, permanent: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.retry_after = retry_after


def plainly(wrong: Mapping[str, Any]) -> str:
    """What pydantic finds wrong, in a caller's words: it names our classes, and counts what a text
    has that went through a validator as items."""
    message, context = str(wrong["msg"]), wrong.get("ctx", {})
    match wrong["type"], context.get("field_type"):
        case "value_error", _:
            return message.removeprefix("Value error, ")
        case "model_type" | "model_attributes_type", _:
            return "Input should be an object"
        case "too_long", "Value":
            return f"Text should have at most {context['max_length']} characters"
        case "too_short", "Value":
            return "must not be empty"
    return message


def refused(error: ValidationError, *, whole: str) -> InvalidArguments:
    """What pydantic refuses; `whole` names what is wrong as a whole."""
    wrong = error.errors()
    return InvalidArguments(
        *(FieldError(".".join(map(str, one["loc"])) or whole, plainly(one)) for one in wrong)
    )
