"""Pieces of SQL text with their parameters, and how they become one statement.

The statement is put together from Django's expressions, so that it uses the formulas' SQL twins;
that takes Django several ms, longer than PostgreSQL needs to answer. So it is written once for each
shape of question: constants become part of the text, and only the question's own values remain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import connection
from django.db.backends.postgresql.psycopg_any import mogrify
from django.db.models import Func, QuerySet
from django.db.models.expressions import Expression

from memory.models import Memory
from memory.recall.sql.questions import is_mark


@dataclass(frozen=True)
class Fragment:
    """SQL with a `%s` for each parameter."""

    text: str
    parameters: tuple[Any, ...] = ()

    def filled(self, **parts: Fragment) -> Fragment:
        """With other fragments where `{name}` stands, and their parameters in that place."""
        text, given, parameters = [], iter(self.parameters), list[Any]()
        for number, piece in enumerate(re.split(r"\{(\w+)\}", self.text)):
            part = parts[piece] if number % 2 else Fragment(piece)
            text.append(part.text)
            parameters += part.parameters or islice(given, piece.count("%s") * (1 - number % 2))
        return Fragment("".join(text), tuple(parameters))


def column(name: str) -> Func:
    """A column of one of the statement's own parts, or a subquery on them, for an expression."""
    return Func(template=name)


def expression(value: Expression) -> Fragment:
    """An expression that names no column of a model."""
    query = Memory.objects.all().query
    resolved = value.resolve_expression(query)
    text, parameters = query.get_compiler(connection=connection).compile(resolved)
    return Fragment(text, tuple(parameters))


def rows(queryset: QuerySet[Any, Any]) -> Fragment:
    """The SELECT of a queryset."""
    text, parameters = queryset.query.get_compiler(connection=connection).as_sql()
    return Fragment(text, tuple(parameters))


def with_parts(parts: Mapping[str, Fragment], select: Fragment) -> Fragment:
    """WITH each part, each computed once, in this order: PostgreSQL would otherwise repeat what is
    mentioned twice, every distance among it."""
    named = ",\n".join(f"{name} AS MATERIALIZED ({part.text})" for name, part in parts.items())
    parameters = [parameter for part in parts.values() for parameter in part.parameters]
    return Fragment(f"WITH {named}\n{select.text}", (*parameters, *select.parameters))


def with_constants_inside(fragment: Fragment, names: Mapping[Any, str]) -> Fragment:
    """The same with only marks left as parameters, each once, as $1, $2 and so on: 80 values a
    call cost psycopg a millisecond. For marks that have a name here it stands in the text.
    """
    first, *pieces = (piece.replace("%%", "%") for piece in fragment.text.split("%s"))
    text, marks = [first], list[Any]()
    for parameter, piece in zip(fragment.parameters, pieces, strict=True):
        if not is_mark(parameter):
            text.append(mogrify("%s", [parameter], connection))
        elif parameter in names:
            text.append(names[parameter])
        else:
            marks += [] if parameter in marks else [parameter]
            text.append(f"${marks.index(parameter) + 1}")
        text.append(piece)
    return Fragment("".join(text), tuple(marks))
