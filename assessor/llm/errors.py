"""What can go wrong when a model is asked, in our words.

A provider translates its SDK's and the network's errors into this tree once, at the edge; the
pipeline and the chat see nothing else. One bit drives the retry: `permanent`. The sentences are
plain English constants, because they are logged and stored; a page that shows one translates it.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from memory.text.secrets import mask_json, mask_secrets

DETAIL_LENGTH = 200


class ModelError(Exception):
    """A model gave no usable answer.

    `kind` is a stable word for logs and counters, `sentence` is for people, `detail` is what the
    endpoint said, on one line, `said` the same as the object it sent (`message`, `code`, …), if it
    sent one; `retry_after` is in seconds, if the endpoint asked for a pause.
    """

    kind: ClassVar[str]
    sentence: ClassVar[str]
    permanent: ClassVar[bool] = False

    def __init__(
        self,
        detail: str = "",
        *,
        retry_after: float | None = None,
        said: Mapping[str, Any] | None = None,
    ) -> None:
        # Some endpoints say the key that they refuse, or what they were asked.
        self.detail = mask_secrets(" ".join(detail.split()))[:DETAIL_LENGTH]
        self.retry_after = retry_after
        self.said = mask_json(said, mask_secrets)
        super().__init__(self.detail)

    def __str__(self) -> str:
        return f"{self.sentence} ({self.detail})" if self.detail else self.sentence


class ModelUnreachable(ModelError):
    kind = "unreachable"
    sentence = "The model cannot be reached."


class ModelTimeout(ModelError):
    kind = "timeout"
    sentence = "The model did not answer in time."


class ModelUnauthorized(ModelError):
    kind = "unauthorized"
    sentence = "The model's endpoint refused the API key."
    permanent = True


class ModelNotFound(ModelError):
    kind = "not_found"
    sentence = "The endpoint does not know this model, or the URL is wrong."
    permanent = True


class ModelRateLimited(ModelError):
    kind = "rate_limited"
    sentence = "The model's endpoint reached its rate limit."


class ModelBadRequest(ModelError):
    kind = "bad_request"
    sentence = "The model's endpoint rejected the request."
    permanent = True


class ModelServerError(ModelError):
    kind = "server_error"
    sentence = "The model's endpoint returned an error."


class ModelBadAnswer(ModelError):
    kind = "bad_answer"
    sentence = "The model's answer could not be read."


class ModelInterrupted(ModelError):
    kind = "interrupted"
    sentence = "The model's answer was cut off."
