"""The table of roles.txt, read."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.http import HttpResponseBase

TABLE = Path(__file__).with_name("roles.txt")
MARKS = frozenset("+-0?")


@dataclass(frozen=True)
class Line:
    """The marks of a group by column, and its operations. `title` is lower-case before a colon."""

    title: str
    marks: dict[str, str]
    names: tuple[str, ...]


@cache
def section(name: str) -> list[Line]:
    """Return the groups of a section."""
    [text] = [part for part in TABLE.read_text().split("\n== ") if part.startswith(f"{name}:")]
    columns: list[str] = []
    found: list[tuple[list[str], dict[str, str], list[str]]] = []
    for line in text.splitlines()[1:]:
        words = line.split()
        marks = words[-len(columns) :] if columns else []
        if words[:1] == ["columns"]:
            columns = words[1:]
        elif marks and len(marks) == len(columns) and set(marks) <= MARKS:
            title = words[: -len(columns)]
            if title:
                found.append((title, {}, []))
            found[-1][1].update(zip(columns, marks, strict=True))
        elif words and not line.startswith(" "):
            found.append((words, {}, []))
        elif words:
            found[-1][2].extend(words)
    return [Line(" ".join(title), marks, tuple(names)) for title, marks, names in found]


def lines_by_name(name: str) -> dict[str, Line]:
    """Return the line of each operation of a section; fails if an operation has two."""
    named = [(one, line) for line in section(name) for one in line.names]
    assert len(dict(named)) == len(named), "an operation is in two groups"
    return dict(named)


def mark_of(answer: HttpResponseBase) -> str:
    """Return the mark of an answer."""
    to_login = answer.headers.get("Location", "").startswith(("/login/", "/admin/login/"))
    if answer.status_code == 401 or to_login:
        return "?"
    return {403: "-", 404: "0"}.get(answer.status_code, "+")
