"""Errors that can occur while an exchange is assessed."""

from typing import Self

from assessor.llm.base import Usage
from assessor.llm.errors import ModelError
from foundation.errors import EbbError
from memory.embeddings import EmbeddingError


class AssessmentError(EbbError):
    """No usable assessment.

    If `permanent`, another attempt will not help. `retry_after` is in seconds. `answer` is the
    model's unusable answer, if any, `code` the stored code of the cause
    (assessor.outbox.fault_labels). `model` names the model that failed, "" for none. `usage` and
    `cost_usd` belong to an answer that could not be used.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool = False,
        retry_after: float | None = None,
        answer: str = "",
        code: str = "",
        model: str = "",
        usage: Usage | None = None,
        cost_usd: float | None = None,
    ) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.retry_after = retry_after
        self.answer = answer
        self.code = code
        self.model = model
        self.usage = usage
        self.cost_usd = cost_usd

    @classmethod
    def caused_by(cls, error: ModelError | EmbeddingError, *, model: str = "") -> Self:
        """Return the assessment error for a failure of the model or of the embedding model."""
        return cls(
            str(error),
            permanent=error.permanent,
            retry_after=error.retry_after,
            code=error.code,
            model=model,
        )
