"""Errors that can occur while an exchange is assessed."""

from memory.errors import EbbError


class AssessmentError(EbbError):
    """No usable assessment.

    If `permanent`, another attempt will not help. `retry_after` is in seconds. `answer` is the
    model's unusable answer, if any.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool = False,
        retry_after: float | None = None,
        answer: str = "",
    ) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.retry_after = retry_after
        self.answer = answer
