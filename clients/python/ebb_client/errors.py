"""Exceptions of the client, by the code of the API's problem document."""

from typing import Any


class EbbError(Exception):
    """A failed call: `status`, `code`, `detail`, and `errors` by field.

    `retry_after` is the requested pause in seconds, or None.
    """

    def __init__(self, problem: dict[str, Any], *, retry_after: float | None = None) -> None:
        self.status: int | None = problem.get("status")
        self.code: str = problem.get("code", "error")
        self.detail: str = problem.get("detail", "")
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        self.retry_after = retry_after
        super().__init__(f"{self.code}: {self.detail}")


class InvalidArguments(EbbError):
    """A field is missing, unknown or out of range; `errors` names each field."""


class Unauthorized(EbbError):
    """The key is missing, wrong or no longer valid."""


class Forbidden(EbbError):
    """The key lacks the scope."""


class NotFound(EbbError):
    """The space has no such object."""


class Conflict(EbbError):
    """The call is not possible in the current state."""


class RateLimited(EbbError):
    """The rate limit was reached."""


class ModelUnavailable(EbbError):
    """The language or embedding model does not answer."""


class Busy(EbbError):
    """Ebb's database is busy or does not answer."""


class Unreachable(EbbError):
    """Ebb did not answer. `sent` is false if Ebb cannot have received the call."""

    def __init__(self, detail: str, *, sent: bool) -> None:
        super().__init__({"code": "unreachable", "detail": detail})
        self.sent = sent


_BY_CODE: dict[str, type[EbbError]] = {
    "memory_invalid_arguments": InvalidArguments,
    "unauthorized": Unauthorized,
    "forbidden": Forbidden,
    "not_found": NotFound,
    "conflict": Conflict,
    "rate_limited": RateLimited,
    "model_unavailable": ModelUnavailable,
    "busy": Busy,
}


def error_of(problem: dict[str, Any], *, retry_after: float | None = None) -> EbbError:
    """Return the exception for a problem document."""
    kind = _BY_CODE.get(problem.get("code", ""), EbbError)
    return kind(problem, retry_after=retry_after)
