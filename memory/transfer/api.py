"""JSON API for exporting and importing a whole space."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.authentication import access_to
from accounts.limits.rate_limits import CallKind, count_call
from foundation.errors import FieldError, InvalidArguments
from foundation.http.requests import may_fail
from memory.jobs.running import work_at
from memory.jobs.schemas import ImportIn, JobOut
from memory.models import Job, JobState
from memory.transfer.stream import export_response
from memory.transfer.upload import begin_import, start_import

router = Router(tags=["transfer"])

AT_ONCE = 256 * 2**10
"""Maximum bytes of a file imported before the response; a worker imports larger ones."""

_LINES = {"application/x-ndjson": {"schema": {"type": "string"}}}
_FILE = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "required": ["file"],
            "properties": {"file": {"type": "string", "format": "binary"}},
        }
    },
    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
}


@router.get(
    "export",
    url_name="export",
    operation_id="exportSpace",
    openapi_extra={"responses": {200: {"description": "JSON Lines", "content": _LINES}}},
)
def export_space(request: HttpRequest) -> HttpResponseBase:
    """Export everything that the call's user sees as JSON Lines; with `user_id=*`, the whole space.

    The response is streamed. All lines show the space at the same moment.
    """
    access, now = access_to(request, "admin"), timezone.now()
    access.require("read")  # a key may administer a space and not read it
    count_call(access, CallKind.EXPORT, now=now)
    return export_response(access.space, access.reader, now=now)


@router.post(
    "import",
    response={200: JobOut, 202: JobOut},
    url_name="import",
    operation_id="importSpace",
    openapi_extra={
        "requestBody": {"required": True, "content": _LINES | _FILE},
        **may_fail(409),
    },
)
def import_space(request: HttpRequest, asked: Query[ImportIn]) -> Status[JobOut]:
    """Import a file into the space: an Ebb export, or data of another program.

    Memories are saved, and conversations of another assistant are queued for assessment: the newest
    `exchanges`.

    With a `user_id`, rows that name no user become this user's; rows of other users are refused.

    With `preview` nothing is imported: `result.forecast` says how many memories would expire, and
    when, and how many would be over capacity.

    Send the file as the body, or as `file` of a form. A small file is imported before the response
    (200, with the skipped lines; 422 if the whole file was refused). For a larger file the response
    is the job that imports it (202).
    """
    access, chunks = access_to(request, "admin"), _chunks(request)
    access.require("write")
    now = access.here(timezone.now())
    first = next(chunks, b"")
    whole: dict[str, Any] = {
        "space": access.space, "user_id": access.owner, "actor": access.actor, "now": now,
        **asked.model_dump(),
    }  # fmt: skip
    if len(first) > AT_ONCE:
        return Status(202, JobOut.of(start_import(chunks=_after(first, chunks), **whole), now))
    job = begin_import(chunks=[first], **whole)
    work_at(job)
    job.refresh_from_db()
    _refuse_failed(job)
    return Status(200, JobOut.of(job, timezone.now()))


def _chunks(request: HttpRequest) -> Iterator[bytes]:
    """Return the file in chunks of 1 MB; only the last one may be smaller."""
    source: Any = request
    if request.content_type == "multipart/form-data":
        source = request.FILES.get("file")
        if source is None:
            raise InvalidArguments(FieldError("file", "is missing"))
    while chunk := source.read(2**20):
        yield chunk


def _after(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _refuse_failed(job: Job) -> None:
    if job.state == JobState.FAILED:
        lines = (
            FieldError(f"line {wrong['line']}", wrong["reason"])
            for wrong in job.result.get("wrong", [])
        )
        raise InvalidArguments(FieldError("body", job.error.removeprefix("body: ")), *lines)
