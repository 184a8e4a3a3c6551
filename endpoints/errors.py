"""Converts every error to problem+json (RFC 9457), by one table from exception to answer."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from math import ceil
from typing import Any

import psycopg
import pydantic
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, InternalError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin
from django.views import defaults
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from accounts.pages import too_many
from assessor.errors import AssessmentError
from assessor.llm import ModelError
from chat.replies.stored_turns import ReplyFailed
from endpoints.completions import errors as openai_errors
from foundation.errors import Conflict, Forbidden, InvalidArguments, NotFound, RateLimited, plainly
from foundation.http.request_ids import current_request_id
from memory.embeddings import EmbeddingError

# exception → (status, code, title)
ANSWERS: dict[type[Exception], tuple[int, str, str]] = {
    AuthenticationError: (401, "unauthorized", "No valid key"),
    Forbidden: (403, "forbidden", "Not allowed"),
    NotFound: (404, "not_found", "Not found"),
    Http404: (404, "not_found", "Not found"),
    Conflict: (409, "conflict", "Conflicts with the current state"),
    RateLimited: (429, "rate_limited", "Too many requests"),
    AssessmentError: (503, "model_unavailable", "No usable assessment"),
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
    501: "not_supported",
    503: "busy",
}
_BAD_REQUESTS: tuple[type[Exception], ...] = (
    ValidationError, pydantic.ValidationError, InvalidArguments, HttpError, MultiPartParserError,
    SuspiciousOperation,
)  # fmt: skip
_NO_DATABASE = (OperationalError, InterfaceError)
NO_DATABASE = "The database is busy or does not answer. Try again in a few seconds."
BUSY_FOR = 5
"""Seconds after which a caller may try again when the database did not answer."""
TOO_LARGE = f"larger than {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20} MB"
API = "/api/v1/"
OPENAI_API = "/v1/"  # OpenAI's clients read errors in OpenAI's shape
MEM0_API = "/mem0/"  # mem0's clients read `detail` of a JSON object
NO_SUCH_CALL = {
    API: "Unknown endpoint. See /api/v1/docs for all endpoints.",
    OPENAI_API: "Unknown endpoint. Use POST /v1/chat/completions or GET /v1/models.",
    "/mcp/": "Unknown endpoint. The MCP server is at /mcp.",
    MEM0_API: "Unknown endpoint. Ebb's documentation lists what mem0's clients can call.",
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
        case ReplyFailed():
            return _after_writing(error)
        case OperationalError() | InterfaceError():
            return _no_database()
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


def _no_database() -> HttpResponse:
    response = problem(503, "busy", "The database does not answer", NO_DATABASE)
    response["Retry-After"] = str(BUSY_FOR)
    return response


def _after_writing(error: ReplyFailed) -> HttpResponse:
    """Return the response for the cause of a failed reply, with the ids of what was stored."""
    response = problem_of(error.cause)
    body = json.loads(response.content) | {"kept": error.kept}
    response.content = json.dumps(body).encode()
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page of a crash (Django's handler500); 503 if the database does not answer."""
    if not _is_no_database(sys.exc_info()[1]):
        return defaults.server_error(request)
    page = render_to_string("503.html")
    return HttpResponse(page, status=503, headers={"Retry-After": str(BUSY_FOR)})


def _is_no_database(error: BaseException | None) -> bool:
    # PostgreSQL's internal errors (XX000) include Citus' for a node that went away.
    broken = isinstance(error, InternalError) and isinstance(
        error.__cause__, psycopg.errors.InternalError_
    )
    return broken or isinstance(error, _NO_DATABASE)


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

    for kind in (*_BAD_REQUESTS, *ANSWERS, ReplyFailed):
        api.add_exception_handler(kind, answer)


Handler = Callable[[HttpRequest], Any]


class BusyPages(MiddlewareMixin):
    """Shows the page of an exceeded limit, such as too many passwords being checked."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the page for RateLimited, None for another error."""
        return too_many(request, error) if isinstance(error, RateLimited) else None


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
    prefix = next(filter(request.path.startswith, NO_SUCH_CALL), None)
    if status < 400 or prefix is None or "json" in kind:
        return response
    phrase = HTTPStatus(status).phrase
    said = {404: NO_SUCH_CALL[prefix], 503: NO_DATABASE}.get(status, phrase)
    if prefix == OPENAI_API:
        answer = openai_errors.of_status(status, said).response()
    elif prefix == MEM0_API:
        answer = JsonResponse({"detail": said}, status=status)
    else:
        answer = problem(status, _BY_STATUS.get(status, "error"), phrase, said)
    for name in {"Allow", "Retry-After"} & set(response.headers):
        answer.headers[name] = response.headers[name]
    return answer
