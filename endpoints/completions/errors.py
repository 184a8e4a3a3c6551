"""Converts every error to OpenAI's format, so that each SDK raises the class its users catch.

The client's key is Ebb's. An endpoint that refuses Ebb's own key is not the client's error: the
answer is 502, never 401.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from assessor.llm import ModelError
from assessor.llm import errors as model
from endpoints.completions.schemas import Json
from foundation.errors import Conflict, Forbidden, InvalidArguments, NotFound, RateLimited, plainly
from memory.embeddings import EmbeddingError

BAD_REQUEST, SERVER_ERROR = "invalid_request_error", "server_error"
RATE_LIMIT = "rate_limit_error"

# exception → (status, type, code)
ANSWERS: dict[type[Exception], tuple[int, str, str | None]] = {
    AuthenticationError: (401, BAD_REQUEST, "invalid_api_key"),
    Forbidden: (403, BAD_REQUEST, "insufficient_permissions"),
    NotFound: (404, BAD_REQUEST, "not_found"),
    Http404: (404, BAD_REQUEST, "not_found"),
    Conflict: (409, BAD_REQUEST, "conflict"),
    RateLimited: (429, RATE_LIMIT, "rate_limit_exceeded"),
    EmbeddingError: (503, SERVER_ERROR, "embedding_model_unavailable"),
    ModelError: (502, SERVER_ERROR, "model_failed"),
    model.ModelBadRequest: (400, BAD_REQUEST, None),
    model.ModelTooLong: (400, BAD_REQUEST, "context_length_exceeded"),
    model.ModelNotFound: (404, BAD_REQUEST, "model_not_found"),
    model.ModelRateLimited: (429, RATE_LIMIT, "rate_limit_exceeded"),
    model.ModelTimeout: (504, SERVER_ERROR, "model_timeout"),
    model.ModelUnreachable: (503, SERVER_ERROR, "model_unreachable"),
    model.ModelUnauthorized: (502, SERVER_ERROR, "model_unauthorized"),
}
UNKNOWN_KEY = "The API key is missing or not valid. Send it as “Authorization: Bearer KEY”."
_CODES = {405: "method_not_allowed", 413: "request_too_large"}


@dataclass(frozen=True)
class Answer:
    """An error as HTTP status, body and headers."""

    status: int
    error: Json
    headers: Mapping[str, str]

    def response(self) -> HttpResponse:
        """Return the error as an HTTP response."""
        return JsonResponse({"error": self.error}, status=self.status, headers=dict(self.headers))


def answer_to(error: Exception) -> Answer:
    """Return the answer to an exception of the table; also used for a broken stream's
    last event.
    """
    status, kind, code = next(ANSWERS[k] for k in type(error).__mro__ if k in ANSWERS)
    message = UNKNOWN_KEY if isinstance(error, AuthenticationError) else str(error)
    if isinstance(error, RateLimited):
        pause = {"Retry-After": str(max(1, ceil(error.retry_after)))}
        return Answer(status, of_status(status, message, kind=kind, code=code).error, pause)
    if not isinstance(error, ModelError):
        return of_status(status, message or "Not found", kind=kind, code=code)
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(ceil(error.retry_after))
    if error.permanent:
        headers["x-should-retry"] = "false"  # for OpenAI's SDKs, which retry every 5xx
    return Answer(status, of_status(status, message, kind=kind, code=code).error, headers)


def of_status(
    status: int,
    message: str,
    *,
    kind: str | None = None,
    code: str | None = None,
    param: str | None = None,
) -> Answer:
    """Return an error of Ebb's own."""
    kind = kind or (SERVER_ERROR if status >= 500 else BAD_REQUEST)
    code = code or _CODES.get(status)
    error = {"message": message, "type": kind, "param": param, "code": code}
    return Answer(status, error, {"WWW-Authenticate": "Bearer"} if status == 401 else {})


def _param(location: Sequence[object]) -> str:
    """Return the parameter's name: `("body", "asked", "ebb", "memory")` → "ebb.memory"."""
    parts = [str(part) for part in location if part not in {"body", "header", "asked"}]
    return ".".join(parts) or "body"


def _invalid(param: str, message: str) -> Answer:
    return of_status(400, f"{param}: {message}", code="invalid_value", param=param)


def _answer(error: Exception) -> Answer:
    match error:
        case ValidationError():
            first = error.errors[0]
            return _invalid(_param(first["loc"]), plainly(first))
        case InvalidArguments():
            return _invalid(error.errors[0].field, error.errors[0].message)
        case HttpError() if not isinstance(error, AuthenticationError):
            return of_status(error.status_code, str(error))
        case RequestDataTooBig():
            most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
            return of_status(413, f"The request is larger than {most} MB.")
    return answer_to(error)


def install(api: NinjaAPI) -> None:
    """Register handlers that answer errors in OpenAI's format."""

    def answer(request: HttpRequest, error: Any) -> HttpResponse:
        return _answer(error).response()

    bad_requests = (ValidationError, InvalidArguments, HttpError, RequestDataTooBig)
    for kind in (*bad_requests, *ANSWERS):
        api.add_exception_handler(kind, answer)
