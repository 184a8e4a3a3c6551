"""Every error as problem+json (RFC 9457): one table from exception to answer."""

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
# A form that is none, and a body that is larger than Django takes.
_UNREADABLE = (MultiPartParserError, SuspiciousOperation)
TOO_LARGE = f"larger than {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MB"
API = "/api/v1/"
DOOR = "/v1/"  # OpenAI's clients read errors in OpenAI's shape
NO_SUCH_CALL = {
    API: "There is no such call. All are described at /api/v1/docs.",
    DOOR: "There is no such call. There are POST /v1/chat/completions and GET /v1/models.",
}


def answer_to(error: Exception) -> tuple[int, str, str]:
    """(status, code, title) for an error that stands in the table, and for invalid arguments."""
    if isinstance(error, InvalidArguments):
        return _INVALID
    return next(ANSWERS[kind] for kind in type(error).__mro__ if kind in ANSWERS)


def problem(
    status: int, code: str, title: str, detail: str, errors: Sequence[dict[str, str]] = ()
) -> HttpResponse:
    """A problem+json answer."""
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
    """The answer to an error that stands in the table."""
    answer = answer_to(error)
    unknown = isinstance(error, AuthenticationError)
    response = problem(*answer, openai_errors.UNKNOWN_KEY if unknown else str(error) or answer[2])
    if isinstance(error, RateLimited):
        response["Retry-After"] = str(max(1, ceil(error.retry_after)))
    return response


def _field(location: Sequence[object]) -> str:
    """`("body", "draft", "importance")` → "importance": the caller's name, not our parameter."""
    parts = [str(part) for part in location]
    if parts and parts[0] in {"body", "query", "path", "header"}:
        parts = parts[1:]
    if parts and parts[0] in {"draft", "change", "asked", "exchange"}:
        parts = parts[1:]
    return ".".join(parts) or "body"


def _said_of(wrong: Mapping[str, Any]) -> dict[str, str]:
    return {"field": _field(wrong["loc"]), "message": plainly(wrong)}


def _invalid(errors: Sequence[dict[str, str]]) -> HttpResponse:
    detail = "; ".join(f"{error['field']}: {error['message']}" for error in errors)
    return problem(*_INVALID, detail, errors)


def install(api: NinjaAPI) -> None:
    """Hangs the table into the API."""

    def from_request(request: HttpRequest, error: ValidationError) -> HttpResponse:
        return _invalid([_said_of(one) for one in error.errors])

    def from_pydantic(request: HttpRequest, error: pydantic.ValidationError) -> HttpResponse:
        return _invalid([_said_of(one) for one in error.errors()])

    def from_services(request: HttpRequest, error: InvalidArguments) -> HttpResponse:
        return _invalid([{"field": e.field, "message": e.message} for e in error.errors])

    def from_ninja(request: HttpRequest, error: HttpError) -> HttpResponse:
        if error.status_code == 400:  # a body that is not JSON
            return _invalid([{"field": "body", "message": str(error)}])
        code = _BY_STATUS.get(error.status_code, "error")
        return problem(error.status_code, code, str(error), str(error))

    def from_body(request: HttpRequest, error: Exception) -> HttpResponse:
        said = TOO_LARGE if isinstance(error, RequestDataTooBig) else str(error)
        return _invalid([{"field": "body", "message": said or "cannot be read"}])

    def from_table(request: HttpRequest, error: Exception) -> HttpResponse:
        return problem_of(error)

    handlers: dict[type[Exception], Any] = {
        ValidationError: from_request,
        pydantic.ValidationError: from_pydantic,
        InvalidArguments: from_services,
        HttpError: from_ninja,
        **dict.fromkeys(_UNREADABLE, from_body),
        **dict.fromkeys(ANSWERS, from_table),
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)


Handler = Callable[[HttpRequest], Any]


def api_problems(get_response: Handler) -> Handler:
    """Middleware: errors that Django or ninja answer as text or as a page (no such path, method not
    allowed, a crash) become problems too. Innermost, so that the other middlewares see them so."""

    def answer(request: HttpRequest) -> HttpResponse:
        return _as_problem(request, get_response(request))

    return answer


def _as_problem(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    status, kind = response.status_code, response.headers.get("Content-Type", "")
    if status < 400 or not request.path.startswith((API, DOOR)) or "json" in kind:
        return response
    phrase = HTTPStatus(status).phrase
    door = DOOR if request.path.startswith(DOOR) else API
    said = NO_SUCH_CALL[door] if status == 404 else phrase
    if door == DOOR:
        answer = openai_errors.of_status(status, said).response()
    else:
        answer = problem(status, _BY_STATUS.get(status, "error"), phrase, said)
    if "Allow" in response.headers:
        answer.headers["Allow"] = response.headers["Allow"]
    return answer
