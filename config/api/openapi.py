"""The OpenAPI document, with the error responses described once for all calls."""

import re
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.router import BoundRouter

from accounts.authentication import USER_HEADER, SessionAccess
from config.api.query_parameters import refuse_unknown_parameters
from endpoints.portable_openapi import make_portable
from foundation.http.request_ids import HEADER
from foundation.http.requests import Problem
from foundation.texts.names import MAX_NAME, NAME_PATTERN

_ID = {
    HEADER: {
        "description": "The request's id: the caller's own, or one that Ebb gave.",
        "schema": {"type": "string"},
    }
}
# status: (name, code, description, example of a detail)
_REFUSALS = {
    401: (
        "Unauthorized",
        "unauthorized",
        "The API key is missing or not valid.",
        "The API key is missing or not valid. Send it as “Authorization: Bearer KEY”.",
    ),
    403: ("Forbidden", "forbidden", "The key lacks the scope.", "This needs the scope “write”."),
    404: ("NotFound", "not_found", "Not found in this space.", "Memory not found."),
    409: (
        "Conflict",
        "conflict",
        "Not allowed in this state.",
        "The memory is in the recycle bin.",
    ),
    422: (
        "InvalidArguments",
        "memory_invalid_arguments",
        "A field is missing, unknown or out of range; nothing was written.",
        "importance: Input should be less than or equal to 1",
    ),
    429: ("RateLimited", "rate_limited", "Too many calls with this key.", "Too many requests."),
    503: (
        "ModelUnavailable",
        "model_unavailable",
        "The model or the database does not answer; nothing was written, apart from `kept`.",
        "The model does not answer",
    ),
}
_HEADERS: dict[int, dict[str, Any]] = {
    401: {"WWW-Authenticate": {"schema": {"type": "string", "const": "Bearer"}}},
    429: {
        "Retry-After": {
            "description": "Seconds to wait.",
            "schema": {"type": "string", "pattern": "^[0-9]+$"},
        }
    },
}


_USER: dict[str, Any] = {
    "UserId": {
        "name": "user_id",
        "in": "query",
        "description": (
            "The user for whom the call acts: it sees this user's memories and the shared ones. "
            "Without a user it sees the shared ones only. `*` means everybody and needs the scope "
            f"`admin`. The header `{USER_HEADER}` does the same."
        ),
        "schema": {"type": "string", "maxLength": MAX_NAME, "pattern": NAME_PATTERN},
    },
}
# Their bodies name the user: a second name could contradict the first.
_USER_IN_BODY = {"chat", "assess", "queueAssessment", "createMemory", "searchMemories"}


class DescribedAPI(NinjaAPI):
    """An API whose document includes its error responses, and whose calls refuse query parameters
    that they do not know."""

    def _get_bound_routers(self) -> list[BoundRouter]:
        is_new = self._bound_routers_cache is None
        routers = super()._get_bound_routers()
        if is_new:
            refuse_unknown_parameters(routers)
        return routers

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """Add errors, users, examples and links to the document."""
        document = super().get_openapi_schema(**options)
        components = document["components"]
        components["schemas"]["Problem"] = Problem.model_json_schema(
            ref_template="#/components/schemas/{model}"
        )
        components["responses"] = {
            _REFUSALS[status][0]: _refusal(status) for status in sorted(_REFUSALS)
        }
        components["parameters"] = _USER
        for path, operations in document["paths"].items():
            for operation in operations.values():
                operation["summary"] = _in_words(operation["operationId"])
                _name_user(operation)
                _describe(path, operation)
            if "post" in operations:
                things = path.replace("/import", "/jobs")  # an import creates a job
                _link(operations["post"], _about_one(things, document["paths"]))
        make_portable(document)
        return document


def _in_words(operation_id: str) -> str:
    """Return an operation's id as words: "previewPolicy" → "Preview policy"."""
    if operation_id == "xml":
        return "Execute XML tags"  # the id without a verb is used by clients
    return re.sub(r"(?=[A-Z])", " ", operation_id).capitalize()


def _about_one(path: str, paths: dict[str, Any]) -> list[str]:
    """Return the ids of the operations on one item of the list at this path."""
    return [
        operation["operationId"]
        for other, operations in paths.items()
        if other.startswith(f"{path}/{{id}}")
        for operation in operations.values()
    ]


def _link(making: dict[str, Any], others: list[str]) -> None:
    """Link a creating call to the calls that take the id from its answer."""
    links = {
        name: {"operationId": name, "parameters": {"id": "$response.body#/id"}} for name in others
    }
    for status, response in making["responses"].items():
        if links and 200 <= status < 300:
            response["links"] = links


def _name_user(operation: dict[str, Any]) -> None:
    """Let the call name its user in the query: accounts.authentication reads it there. A call
    about the whole installation has no user."""
    if "security" in operation:
        operation.setdefault("parameters", [])
        of_space = {SessionAccess.__name__: []} in operation["security"]
        if of_space and operation["operationId"] not in _USER_IN_BODY:
            operation["parameters"].append({"$ref": "#/components/parameters/UserId"})


def _describe(path: str, operation: dict[str, Any]) -> None:
    """Add the error responses that follow from the call's form to those it declares."""
    responses = operation["responses"]
    responses.setdefault(422, {})  # such as for an unknown query parameter
    if "security" in operation:
        for status in (401, 403, 429):
            responses.setdefault(status, {})
        if "{" in path:
            responses.setdefault(404, {})
    for status, response in responses.items():
        if not response:
            response["$ref"] = f"#/components/responses/{_REFUSALS[status][0]}"
        elif "$ref" not in response:
            response.setdefault("headers", dict(_ID))


def _refusal(status: int) -> dict[str, Any]:
    _name, code, description, detail = _REFUSALS[status]
    field, _, message = detail.partition(": ")
    example = {
        "type": f"urn:ebb:problem:{code}",
        "title": description,
        "status": status,
        "code": code,
        "detail": detail,
        "errors": [{"field": field, "message": message}] if status == 422 else [],
        "instance": "urn:ebb:request:4f9c1c5e8a434f6e",
    }
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        "description": description,
        "headers": {**_ID, **_HEADERS.get(status, {})},
        "content": {"application/problem+json": {"schema": schema, "example": example}},
    }
