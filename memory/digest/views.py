"""The digest page: a week's changes by section, each with its undo."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import AddressForm, OneOf, SentText
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict, InvalidArguments
from foundation.readers import Reader
from foundation.texts.names import MAX_NAME
from memory.digest.digest import Digest, digest_of, section_of
from memory.digest.lines import Line
from memory.digest.sections import Section
from memory.digest.undo import find_line, undo_line
from memory.digest.weeks import Week, parse_week, week_of
from memory.embeddings import EmbeddingError

SHOWN = 10
"""Lines of a section on the page of all sections."""
PAGE_SIZE = 50


class _Filters(AddressForm):
    section = OneOf(Section.values)
    user = SentText(MAX_NAME, is_id=True)


@dataclass(frozen=True)
class Part:
    """A section of the page with the number of all its lines, and the first of them."""

    section: Section
    count: int
    lines: list[Line]


@require_GET
@space_page("read")
def digest(request: PageRequest, access: Access) -> HttpResponse:
    """Show a week's digest, or one section of it; for htmx the next lines of a section."""
    asked = _Filters.read(request.GET)
    this_week = week_of(access.here(timezone.now()))
    week = _week(request, access) or this_week
    found = _found(request, access, week, asked)
    context = {
        "week": week,
        "following": week.following if week.first < this_week.first else None,
        "is_now": week.first == this_week.first,
        "user": asked["user"],
        "only": asked["section"],
        "parts": _parts(found, asked["section"]),
        "total": sum(found.counts.values()),
        "next": found.following,
    }
    more = request.htmx and "cursor" in request.GET
    template = "memory/digest/_lines.html" if more else "memory/digest/digest.html"
    return render(request, template, context)


@require_POST
@space_page("write")
def undo(request: PageRequest, access: Access, line_id: str) -> HttpResponse:
    """Undo a line, and draw it again with a message."""
    level = "warning"
    try:
        line = undo_line(
            space=access.space,
            reader=access.reader,
            line_id=line_id,
            actor=access.actor,
            now=timezone.now(),
        )
        text, level = _("Undone."), "success"
    except Conflict:
        line = find_line(access.space, access.reader, line_id)
        text = _("Not undone: the memory has changed in the meantime.")
    except EmbeddingError:
        line = find_line(access.space, access.reader, line_id)
        text = _("The embedding model does not answer. Nothing was changed. Try again later.")
    if not request.htmx:
        return redirect("digest", access.space.slug)
    context = {"line": line, "text": text, "level": level}
    return render(request, "memory/digest/_undone.html", context)


def _week(request: PageRequest, access: Access) -> Week | None:
    """Return the week of the URL; None for a mistyped one, so that an old URL still shows a
    page."""
    try:
        return parse_week(request.GET.get("week", ""), access.zone)
    except InvalidArguments:
        return None


def _found(request: PageRequest, access: Access, week: Week, asked: dict[str, Any]) -> Digest:
    reader = access.reader
    if asked["user"] and reader.sees(asked["user"]):
        reader = Reader.exactly(asked["user"])
    if not asked["section"]:
        return digest_of(space=access.space, reader=reader, week=week, limit=SHOWN)
    return section_of(
        space=access.space,
        reader=reader,
        week=week,
        section=Section(asked["section"]),
        limit=PAGE_SIZE,
        cursor=request.GET.get("cursor") or None,
    )


def _parts(found: Digest, only: str) -> list[Part]:
    sections = [Section(only)] if only else list(Section)
    return [Part(one, found.counts[one], found.of(one)) for one in sections]
