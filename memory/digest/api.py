"""JSON API of the digest: what changed in a week, and undoing a line."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from accounts.authentication import access_to
from foundation.errors import FieldError, InvalidArguments
from foundation.http.requests import may_fail
from memory.digest.digest import digest_of, section_of
from memory.digest.lines import Line
from memory.digest.schemas import DigestIn, DigestOut, LineId, LineOut
from memory.digest.sections import Section
from memory.digest.undo import undo_line
from memory.digest.weeks import parse_week, week_of

router = Router(tags=["digest"])


@router.get("digest", response=DigestOut, url_name="digest", operation_id="getDigest")
def digest(request: HttpRequest, asked: Query[DigestIn]) -> dict[str, object]:
    """Return what the space learned, changed, consolidated and forgot in a week, from Monday in the
    caller's time zone."""
    access = access_to(request, "read")
    now = access.here(timezone.now())
    week = week_of(now) if asked.week is None else parse_week(asked.week, access.zone)
    if asked.section is None:
        if asked.cursor is not None:
            raise InvalidArguments(FieldError("cursor", "can only be used together with section"))
        found = digest_of(space=access.space, reader=access.reader, week=week, limit=asked.limit)
        return DigestOut.of(found)
    found = section_of(
        space=access.space,
        reader=access.reader,
        week=week,
        section=Section(asked.section),
        limit=asked.limit,
        cursor=asked.cursor,
    )
    return DigestOut.of(found)


@router.post(
    "digest/{line_id}/undo",
    response=LineOut,
    url_name="digest_undo",
    operation_id="undoDigestLine",
    openapi_extra=may_fail(404, 409, 503),
)
def undo(request: HttpRequest, line_id: LineId) -> Line:
    """Undo one line, and return it as it is afterwards. Before that, the line's `undo` says what
    will happen.
    """
    access = access_to(request, "write")
    return undo_line(
        space=access.space,
        reader=access.reader,
        line_id=line_id,
        actor=access.actor,
        now=timezone.now(),
    )
