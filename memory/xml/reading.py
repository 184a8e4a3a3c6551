"""Parses the tags in a message. The prose around them may be anything, including HTML or half a
tag.

A scanner finds the start and end of each Ebb tag; a parser that resolves no entities reads each one
separately. So text outside a tag cannot change it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID
from xml.etree.ElementTree import Element, ParseError  # noqa: S405 - the types; defusedxml parses

import pydantic
from defusedxml import ElementTree

from foundation.errors import FieldError, InvalidArguments, refused
from memory.drafts import MemoryDraft
from memory.memories.schemas import SearchIn

MAX_TAGS = 100
"""Maximum number of tags in one message."""

SORTS = ("combined", "relevance", "date")
"""Names of ranking profiles."""

_NAMES = "memory_save|memory_load|memory_delete"
_OURS = re.compile(rf"</?(?:{_NAMES})\b")
# Starts of pieces. Comments and CDATA contain no tags. A message may be megabytes of starts without
# an end: no pattern may scan the whole rest for each.
_PIECE = re.compile(
    r"(?P<verbatim><!--|<!\[CDATA\[)"
    rf"""|<(?P<close>/?)(?P<name>{_NAMES})(?P<rest>(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?)>"""
)
_ENDS = {"<!--": "-->", "<![CDATA[": "]]>"}
_DECLARES = re.compile(r"<!ENTITY|<!DOCTYPE[^<>\[]*(?:\[|SYSTEM|PUBLIC)", re.IGNORECASE)
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True)
class Save:
    """A request to save a memory."""

    draft: MemoryDraft


@dataclass(frozen=True)
class Load:
    """A request to search memories; the sort is one of SORTS."""

    query: str
    limit: int
    sort: str


@dataclass(frozen=True)
class Delete:
    """A request to delete a memory."""

    memory_id: UUID


Request = Save | Load | Delete


def requests_in(message: str) -> list[Request]:
    """Return the requests of a message's tags, in their order.

    Raises InvalidArguments for a message without an Ebb tag, and for any error in one.
    """
    if _DECLARES.search(message):
        raise _wrong("body", "declares entities or a DTD, which are not allowed")
    found = [_request(element) for element in map(_parsed, _spans(message))]
    if not found:
        raise _wrong("body", "contains no memory_save, memory_load or memory_delete")
    if len(found) > MAX_TAGS:
        raise _wrong("body", f"more than {MAX_TAGS} tags")
    return found


def _spans(message: str) -> Iterator[str]:
    """Return the text of each Ebb tag with its content."""
    begun: re.Match[str] | None = None
    outside = 0  # the end of the last piece
    for piece, end in _pieces(message):
        _refuse_half_tags(message[outside : piece.start()])
        outside = end
        name, rest = piece["name"], piece["rest"] or ""
        if name is None:
            continue
        if piece["close"]:
            if begun is None or begun["name"] != name or rest.strip():
                raise _wrong("body", f"</{name}> without an opening tag")
            yield message[begun.start() : piece.end()]
            begun = None
        elif begun is not None:
            raise _wrong(begun["name"], f"not closed before the next <{name}>")
        elif rest.rstrip().endswith("/"):
            yield piece[0]
        else:
            begun = piece
    _refuse_half_tags(message[outside:])
    if begun is not None:
        raise _wrong(begun["name"], "not closed")


def _pieces(message: str) -> Iterator[tuple[re.Match[str], int]]:
    """Return each Ebb tag, comment and CDATA section, and its end position."""
    at, endless = 0, set()
    while piece := _PIECE.search(message, at):
        at = piece.end()
        if verbatim := piece["verbatim"]:
            end = -1 if verbatim in endless else message.find(_ENDS[verbatim], at)
            if end < 0:  # prose, like every later one
                endless.add(verbatim)
                continue
            at = end + len(_ENDS[verbatim])
        yield piece, at


def _refuse_half_tags(between: str) -> None:
    """Refuse the start of an Ebb tag that is not a complete tag, for example after a lost quotation
    mark. It would otherwise be ignored as prose."""
    if broken := _OURS.search(between):
        raise _wrong("body", f"broken XML at {broken[0]}")


def _parsed(span: str) -> Element:
    try:
        element: Element = ElementTree.fromstring(span, forbid_dtd=True)
    except (ParseError, ValueError) as error:  # defusedxml's own errors are ValueErrors
        raise _wrong("body", f"broken XML (& is written &amp;): {error}") from None
    if len(element):
        raise _wrong(element.tag, "must contain text only; write < as &lt;")
    return element


def _request(element: Element) -> Request:
    text = (element.text or "").strip()
    match element.tag:
        case "memory_save":
            return _save(_attributes(element, "importance"), text)
        case "memory_load":
            return _load(_attributes(element, "limit", "sort"), text)
        case _:
            return _delete(_attributes(element, "id"), text)


def _attributes(element: Element, *known: str) -> dict[str, str]:
    for name in element.attrib.keys() - set(known):
        raise _wrong(name, f"{element.tag} has no such attribute")
    return dict(element.attrib)


def _save(given: dict[str, str], content: str) -> Save:
    if "importance" not in given:
        raise _wrong("importance", "is missing: memory_save needs a number from 0 to 1")
    if not _DECIMAL.fullmatch(given["importance"]):
        raise _wrong("importance", "not a number")
    with_importance = {"content": content, "importance": float(given["importance"])}
    try:
        return Save(MemoryDraft.model_validate(with_importance))
    except pydantic.ValidationError as error:
        raise refused(error, whole="text") from None


def _load(given: dict[str, str], query: str) -> Load:
    sort = given.get("sort", "combined")
    if sort not in SORTS:
        raise _wrong("sort", f"unknown; known: {', '.join(SORTS)}")
    if not _INTEGER.fullmatch(limit := given.get("limit", "5")):
        raise _wrong("limit", "not a whole number")
    if not query:
        raise _wrong("query", "memory_load needs a text to search for")
    try:
        asked = SearchIn(query=query, limit=int(limit), profile=sort)
    except pydantic.ValidationError as error:
        raise refused(error, whole="text") from None
    return Load(asked.query, int(limit), sort)


def _delete(given: dict[str, str], text: str) -> Delete:
    if text:
        raise _wrong("memory_delete", "must be empty: it takes only an id")
    try:
        return Delete(UUID(given["id"]))
    except KeyError:
        raise _wrong("id", "is missing: memory_delete needs it") from None
    except ValueError:
        raise _wrong("id", "not a UUID") from None


def _wrong(field: str, message: str) -> InvalidArguments:
    return InvalidArguments(FieldError(field, message))
