"""Converts every error to mem0's form: a JSON object whose `detail` the clients show."""

import json
from typing import Any

import pydantic
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from endpoints.errors import ANSWERS, problem_of
from foundation.errors import InvalidArguments

UNKNOWN_KEY = "The API key is missing or not valid. Send it as “Authorization: Token KEY”."
NO_OPTION = "Ebb has no counterpart for this option"
_KINDS: tuple[type[Exception], ...] = (
    ValidationError, pydantic.ValidationError, InvalidArguments, HttpError, RequestDataTooBig,
)  # fmt: skip


def install(api: NinjaAPI) -> None:
    """Register handlers that answer errors in mem0's form."""

    def answer(request: HttpRequest, error: Any) -> HttpResponse:
        return response_of(error)

    for kind in (*_KINDS, *ANSWERS):
        api.add_exception_handler(kind, answer)


def response_of(error: Exception) -> HttpResponse:
    """Return the response: `detail`, and the `code` and `errors` of Ebb's own API."""
    if isinstance(error, ValidationError):
        error = ValidationError([_named(wrong) for wrong in error.errors])
    refused = problem_of(error)
    told = json.loads(refused.content)
    body = {name: told[name] for name in ("detail", "code", "errors")}
    if isinstance(error, AuthenticationError):
        body["detail"] = UNKNOWN_KEY
    response = JsonResponse(body, status=refused.status_code)
    if "Retry-After" in refused.headers:
        response.headers["Retry-After"] = refused.headers["Retry-After"]
    return response


def _named(wrong: dict[str, Any]) -> dict[str, Any]:
    """Return pydantic's error, with our words for an unknown option."""
    return wrong | {"msg": NO_OPTION} if wrong["type"] == "extra_forbidden" else wrong
