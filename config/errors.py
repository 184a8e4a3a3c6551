"""Converts every error to problem+json (RFC 9457), by one table from exception to answer."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from math import ceil
from typing import Any

import pydantic
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from assessor.errors import AssessmentError
from assessor.llm import ModelError
from chat.completions import errors as openai_errors
from config.request_ids import current_request_id
from memory.embeddings import EmbeddingError
from memory.errors import (
    Conflict,
    Forbidden,
    InvalidArguments,
    NotFound,
    RateLimited,
    plainly,
)

# exception → (status, code, title)
ANSWERS: dict[type[Exception], tuple[int, str, str]] = {
    AuthenticationError: (401, "unauthorized", "Who are you?"),
    Forbidden: (403, "forbidden", "Not allowed"),
    NotFound: (404, "not_found", "Not found"),
    Http404: (404, "not_found", "Not found"),
    Conflict: (409, "conflict", "Not possible now"),
    RateLimited: (429, "rate_limited", "Too many requests"),
    AssessmentError: (503, "model_unavailable", "No usable judgement"),
    ModelError: (503, "model_unavailable", "The model does not answer"),
    EmbeddingError: (503, "model_unavailable", "The embedding model does not answer"),
}
_INVALID = (422, "memory_invalid_arguments", "Invalid arguments")
_BY_STATUS = {
    400: "bad_request",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    429: "rate_limited",
    500: "internal_error",
}
_BAD_REQUESTS: tuple[type[Exception], ...] = (
    ValidationError, pydantic.ValidationError, InvalidArguments, HttpError, MultiPartParserError,
    SuspiciousOperation,
)  # fmt: skip
TOO_LARGE = f"larger than {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MB"
API = "/api/v1/"
OPENAI_API = "/v1/"  # OpenAI's clients read errors in OpenAI's shape
NO_SUCH_CALL = {
    API: "There is no such call. All are described at /api/v1/docs.",
    OPENAI_API: "There is no such call. There are POST /v1/chat/completions and GET /v1/models.",
}


def answer_to(error: Exception) -> tuple[int, str, str]:
    """Return (status, code, title) for an error of the table, or for invalid arguments."""
    if isinstance(error, InvalidArguments):
        return _INVALID
    return next(ANSWERS[kind] for kind in type(error).__mro__ if kind in ANSWERS)


def problem(
    status: int, code: str, title: str, detail: str, errors: Sequence[dict[str, str]] = ()
) -> HttpResponse:
    """Return a problem+json response."""
    body: dict[str, Any] = {
        "type": f"urn:ebb:problem:{code}",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail,
        "errors": list(errors),
        "instance": f"urn:ebb:request:{current_request_id()}",
    }
    response = JsonResponse(body, status=status, content_type="application/problem+json")
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def problem_of(error: Exception) -> HttpResponse:
    """Return the response for any error that `install` registers."""
    match error:
        case ValidationError():
            return _invalid([_invalid_field(one) for one in error.errors])
        case pydantic.ValidationError():
            return _invalid([_invalid_field(one) for one in error.errors()])
        case InvalidArguments():
            return _invalid([{"field": e.field, "message": e.message} for e in error.errors])
        case RequestDataTooBig():
            return _invalid([{"field": "body", "message": TOO_LARGE}])
        case MultiPartParserError() | SuspiciousOperation() | HttpError(status_code=400):
            # A malformed form, or a body that is not JSON.
            return _invalid([{"field": "body", "message": str(error) or "cannot be read"}])
        case HttpError() if not isinstance(error, AuthenticationError):
            code = _BY_STATUS.get(error.status_code, "error")
            return problem(error.status_code, code, str(error), str(error))
    status, code, title = answer_to(error)
    unknown = isinstance(error, AuthenticationError)
    detail = openai_errors.UNKNOWN_KEY if unknown else str(error) or title
    response = problem(status, code, title, detail)
    if isinstance(error, RateLimited):
        response["Retry-After"] = str(max(1, ceil(error.retry_after)))
    return response


def _field(location: Sequence[object]) -> str:
    """Return the caller's field name: `("body", "draft", "importance")` → "importance"."""
    parts = [str(part) for part in location]
    if parts and parts[0] in {"body", "query", "path", "header"}:
        parts = parts[1:]
    if parts and parts[0] in {"draft", "change", "asked", "exchange"}:
        parts = parts[1:]
    return ".".join(parts) or "body"


def _invalid_field(wrong: Mapping[str, Any]) -> dict[str, str]:
    return {"field": _field(wrong["loc"]), "message": plainly(wrong)}


def _invalid(errors: Sequence[dict[str, str]]) -> HttpResponse:
    detail = "; ".join(f"{error['field']}: {error['message']}" for error in errors)
    return problem(*_INVALID, detail, errors)


def install(api: NinjaAPI) -> None:
    """Register handlers that answer these errors with problem+json."""

    def answer(request: HttpRequest, error: Any) -> HttpResponse:
        return problem_of(error)

    for kind in (*_BAD_REQUESTS, *ANSWERS):
        api.add_exception_handler(kind, answer)


Handler = Callable[[HttpRequest], Any]


def api_problems(get_response: Handler) -> Handler:
    """Convert error pages and texts of Django and ninja to problem+json (middleware).

    Covers unknown paths, methods that are not allowed, and crashes. It is the innermost middleware,
    so that the others see the converted answer.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        return _as_problem(request, get_response(request))

    return answer


def _as_problem(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    status, kind = response.status_code, response.headers.get("Content-Type", "")
    if status < 400 or not request.path.startswith((API, OPENAI_API)) or "json" in kind:
        return response
    phrase = HTTPStatus(status).phrase
    prefix = OPENAI_API if request.path.startswith(OPENAI_API) else API
    said = NO_SUCH_CALL[prefix] if status == 404 else phrase
    if prefix == OPENAI_API:
        answer = openai_errors.of_status(status, said).response()
    else:
        answer = problem(status, _BY_STATUS.get(status, "error"), phrase, said)
    if "Allow" in response.headers:
        answer.headers["Allow"] = response.headers["Allow"]
    return answer
