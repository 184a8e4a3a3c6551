"""What can go wrong when an exchange is judged."""

from memory.errors import EbbError


class AssessmentError(EbbError):
    """No usable judgement. `permanent`: asking again will not help; `retry_after` in seconds;
    `answer`: what the model said, where that was not usable."""

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
