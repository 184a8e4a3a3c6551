"""Failures of an embedding endpoint: one sentence for each, and whether a retry may help.

The providers translate their clients' errors into these; no other code sees the clients' errors.
The sentences are plain English constants, because they are logged and stored.
"""

from collections.abc import Mapping
from enum import Enum

from foundation.http.retry_after import retry_after
from memory.embeddings.base import EmbeddingError, TextsRefused

DETAIL_LENGTH = 200


def _(sentence: str) -> str:
    """Mark a sentence for translation. Django's own function would need settings here."""
    return sentence


class Failure(Enum):
    """A failure as (sentence, permanent)."""

    UNREACHABLE = (_("The embedding endpoint cannot be reached."), False)
    TIMEOUT = (_("The embedding endpoint did not answer in time."), False)
    INTERRUPTED = (_("The embedding endpoint's answer was cut off."), False)
    REDIRECTED = (
        _("The embedding endpoint redirects to another URL, which Ebb does not follow."),
        True,
    )
    RATE_LIMITED = (_("The embedding endpoint reached its rate limit."), False)
    SERVER_ERROR = (_("The embedding endpoint returned an error."), False)
    BAD_ANSWER = (_("The embedding endpoint's answer could not be read."), False)
    UNAUTHORIZED = (_("The embedding endpoint refused the API key."), True)
    NOT_FOUND = (_("The embedding endpoint does not know this model, or the URL is wrong."), True)
    NOT_CONFIGURED = (_("The embedding endpoint has no key and no URL."), True)
    TEXTS_REFUSED = (_("The embedding endpoint rejected the texts."), True)
    BAD_REQUEST = (_("The embedding endpoint rejected the request."), True)

    @property
    def kind(self) -> str:
        """The stable word for this failure."""
        return self.name.lower()

    def error(self, detail: str = "", *, retry_after: float | None = None) -> EmbeddingError:
        """Return the error to raise; `detail` is short and in our words, never the endpoint's."""
        sentence, permanent = self.value
        detail = " ".join(detail.split())[:DETAIL_LENGTH]
        kind = TextsRefused if self is Failure.TEXTS_REFUSED else EmbeddingError
        return kind(
            f"{sentence} ({detail})" if detail else sentence,
            permanent=permanent,
            retry_after=retry_after,
            kind=self.kind,
        )


_BY_STATUS = {
    # Too many texts or too long ones; endpoints disagree on the status.
    400: Failure.TEXTS_REFUSED,
    413: Failure.TEXTS_REFUSED,
    422: Failure.TEXTS_REFUSED,
    401: Failure.UNAUTHORIZED,
    403: Failure.UNAUTHORIZED,
    404: Failure.NOT_FOUND,
    408: Failure.TIMEOUT,
    409: Failure.SERVER_ERROR,
    429: Failure.RATE_LIMITED,
}


def refusal(status: int, headers: Mapping[str, str]) -> EmbeddingError:
    """Return the error for an answer with this HTTP status, any but 200 to 299."""
    if status >= 500:
        other = Failure.SERVER_ERROR
    else:
        other = Failure.REDIRECTED if 300 <= status < 400 else Failure.BAD_REQUEST
    failure = _BY_STATUS.get(status, other)
    return failure.error(f"HTTP {status}", retry_after=retry_after(headers))
