"""The XML interface of seed 004 next to the JSON API, for models that write tags."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router

from accounts.authentication import access_to
from accounts.limits.rate_limits import CallKind, count_call
from foundation.errors import FieldError, InvalidArguments
from memory.xml import Load, answer, requests_in

router = Router(tags=["xml"])

_ANSWER = {
    "content": {
        "application/xml": {
            "schema": {"type": "string"},
            "example": '<memory_saved id="5f0c1c5e-8a43-4f6e-9a3b-0b3c7c1b2a11" />',
        }
    },
    "description": "The result of the tag as an element; several are inside `memory_answers`.",
}
_EXAMPLE = '<memory_save importance="0.8">User is allergic to penicillin</memory_save>'
# A necessary condition for any message; a pattern cannot describe valid tags.
_HOLDS_A_TAG = "<memory_(save|load|delete)"
_OPENAPI: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": {"type": "string", "pattern": _HOLDS_A_TAG}, "example": _EXAMPLE}
            for kind in ("application/xml", "text/plain")
        },
    },
    "responses": {200: _ANSWER, 404: {}, 422: {}, 503: {}},
}


@router.post("xml", url_name="xml", operation_id="xml", openapi_extra=_OPENAPI)
def xml(request: HttpRequest) -> HttpResponse:
    """Execute the tags of a message: `memory_save`, `memory_load`, `memory_delete`.

    The tags may be alone or within a model's prose. All tags are validated first, and all writes
    succeed or fail together. A key without write permission may only load. Memories sent to review
    are answered with `status="review"`.
    """
    access = access_to(request, "read")
    now = access.here(timezone.now())
    count_call(access, CallKind.SEARCH, now=now)
    try:
        message = request.body.decode()
    except UnicodeDecodeError:
        raise InvalidArguments(FieldError("body", "not UTF-8")) from None
    requests = requests_in(message)
    if not all(isinstance(one, Load) for one in requests):
        access.require("write")
    text = answer(
        space=access.space,
        reader=access.reader,
        requests=requests,
        actor=access.actor,
        now=now,
    )
    return HttpResponse(text, content_type="application/xml; charset=utf-8")
