"""The ids of the work in progress, which the log adds to each entry in JSON."""

from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request, or of the request that caused the task."""
assessment_id: ContextVar[str] = ContextVar("assessment_id", default="")


def current_ids() -> dict[str, str]:
    """Return the ids that are known, by name."""
    ids = {"request_id": request_id.get(), "assessment_id": assessment_id.get()}
    return {name: value for name, value in ids.items() if value}
