"""Errors that can occur when Ebb asks a model, in our own words.

A provider translates the errors of its SDK and of the network into these classes; the pipeline and
the chat see nothing else. `permanent` decides whether to retry. The sentences are plain English
constants, because they are logged and stored; a page translates them
(assessor.outbox.fault_labels).
"""

from typing import ClassVar

from django.utils.translation import gettext_noop as _

DETAIL_LENGTH = 200


class ModelError(Exception):
    """A model gave no usable answer.

    `kind` is a stable word for logs and counters, `code` is stored beside the text, and `sentence`
    is for people. `detail` is short and in our words, such as the status: an endpoint's own words
    may quote a key or a server behind it. `retry_after` is the pause in seconds that the endpoint
    asked for, if any.
    """

    kind: ClassVar[str]
    sentence: ClassVar[str]
    permanent: ClassVar[bool] = False

    def __init__(self, detail: str = "", *, retry_after: float | None = None) -> None:
        self.detail = " ".join(detail.split())[:DETAIL_LENGTH]
        self.retry_after = retry_after
        super().__init__(self.detail)

    @property
    def code(self) -> str:
        """The stored code of this kind of error."""
        return f"model.{self.kind}"

    def __str__(self) -> str:
        return f"{self.sentence} ({self.detail})" if self.detail else self.sentence


class ModelUnreachable(ModelError):
    """No connection to the endpoint could be made."""

    kind = "unreachable"
    sentence = _("The model cannot be reached.")


class ModelTimeout(ModelError):
    """The endpoint did not answer within the time limit."""

    kind = "timeout"
    sentence = _("The model did not answer in time.")


class ModelUnauthorized(ModelError):
    """The endpoint refused the API key."""

    kind = "unauthorized"
    sentence = _("The model's endpoint refused the API key.")
    permanent = True


class ModelNotFound(ModelError):
    """The endpoint does not know the model or the URL."""

    kind = "not_found"
    sentence = _("The endpoint does not know this model, or the URL is wrong.")
    permanent = True


class ModelRedirected(ModelError):
    """The endpoint sends Ebb to another URL, which Ebb never follows."""

    kind = "redirected"
    sentence = _("The endpoint redirects to another URL, which Ebb does not follow.")
    permanent = True


class ModelRateLimited(ModelError):
    """The endpoint's rate limit was reached."""

    kind = "rate_limited"
    sentence = _("The model's endpoint reached its rate limit.")


class ModelBadRequest(ModelError):
    """The endpoint or the SDK rejected the request."""

    kind = "bad_request"
    sentence = _("The model's endpoint rejected the request.")
    permanent = True


class ModelTooLong(ModelError):
    """The prompt has more tokens than the model can read."""

    kind = "too_long"
    sentence = _("The conversation is longer than this model can read.")
    permanent = True


class ModelServerError(ModelError):
    """The endpoint failed with an error of its own."""

    kind = "server_error"
    sentence = _("The model's endpoint returned an error.")


class ModelBadAnswer(ModelError):
    """The endpoint's answer does not have the expected form."""

    kind = "bad_answer"
    sentence = _("The model's answer could not be read.")


class ModelInterrupted(ModelError):
    """The connection broke before the answer was complete."""

    kind = "interrupted"
    sentence = _("The model's answer was cut off.")
