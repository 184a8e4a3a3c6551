"""Errors of the memory core. Services raise them; endpoints.errors turns them into answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError


class EbbError(Exception):
    """Base of this app's errors."""


@dataclass(frozen=True)
class FieldError:
    """An error in one argument."""

    field: str
    message: str


class InvalidArguments(EbbError):
    """An argument is not acceptable; nothing was written."""

    def __init__(self, *errors: FieldError) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{e.field}: {e.message}" for e in errors))


class NotFound(EbbError):
    """The requested object does not exist in this space."""


class Forbidden(EbbError):
    """The key's scopes or the member's role do not allow the action."""


class Conflict(EbbError):
    """The object's current state does not allow the action."""


class RateLimited(EbbError):
    """The key has exceeded its rate limit; it may call again in `retry_after` seconds."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class ProviderError(Exception):
    """A model could not be used. `permanent`: a retry cannot help; `retry_after`: the delay in
    seconds that the endpoint asked for, or None.
    """

    def __init__(self, message: str, *, permanent: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.retry_after = retry_after


def plainly(wrong: Mapping[str, Any]) -> str:
    """Return pydantic's message for an error, without our class names. For a text behind a
    validator, pydantic counts items; here they are characters.
    """
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
    """Return InvalidArguments for pydantic's errors; `whole` names the field of errors without
    one.
    """
    wrong = error.errors()
    return InvalidArguments(
        *(FieldError(".".join(map(str, one["loc"])) or whole, plainly(one)) for one in wrong)
    )
