"""Reads a statement of PostgreSQL: does it name the space of each of its tables?

A table's space is named by `table.space_id = value`, or by an equality with the space of a table
whose space is named. Only conditions that every row must fulfil count: those joined by AND in WHERE
or in the condition of a join. An INSERT names the space of its rows: the column is not null.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any

from pglast import ast, parse_sql
from pglast.enums import A_Expr_Kind, BoolExprType

SPACES, SPACE = "accounts_space", "space_id"
_QUERIES = ast.SelectStmt | ast.UpdateStmt | ast.DeleteStmt


def unnamed(statement: str, tables: Set[str]) -> list[str]:
    """Return those of the tables, as `table` or `table alias`, whose space the statement does not
    name. Raises pglast.parser.ParseError for anything but SQL."""
    parsed = parse_sql(statement)
    parts = {str(n.ctename) for n in below(parsed) if isinstance(n, ast.CommonTableExpr)}
    reading = _Reading(tables, parts)
    for one in parsed:
        reading.read(one, None)
    return reading.unnamed()


@dataclass(eq=False)
class _Source:
    """A table in one place of a statement, or a subquery, whose own tables are read by
    themselves."""

    table: str
    alias: str
    named: bool


@dataclass
class _Scope:
    """The sources of one query, and the query around it."""

    outer: _Scope | None
    sources: dict[str, _Source] = field(default_factory=dict)

    def source(self, alias: str | None) -> tuple[_Source, _Scope] | None:
        """Return the source that a column belongs to; for a column without a table, the only one
        with a space."""
        if alias is not None and alias in self.sources:
            return self.sources[alias], self
        if alias is None:
            own = [source for source in self.sources.values() if source.table not in ("", SPACES)]
            if len(own) == 1:
                return own[0], self
        return self.outer.source(alias) if self.outer else None


class _Reading:
    """`tables` are those whose space must be named, `parts` the statement's own: WITH."""

    def __init__(self, tables: Set[str], parts: Set[str]) -> None:
        self._tables, self._parts = tables, parts
        self._sources: list[_Source] = []
        self._equal: list[tuple[_Source, _Source]] = []

    def unnamed(self) -> list[str]:
        """Return the tables that no chain of equalities connects to a value."""
        changed = True
        while changed:
            changed = False
            for known, other in self._equal:
                if known.named and not other.named:
                    other.named = changed = True
        missing = [s for s in self._sources if s.table in self._tables and not s.named]
        return [s.table if s.alias == s.table else f"{s.table} {s.alias}" for s in missing]

    def read(self, node: ast.Node, outer: _Scope | None) -> None:
        """Read a statement or a part of one, with the queries inside."""
        if isinstance(node, _QUERIES):
            self._read_query(node, _Scope(outer))
        else:
            for child in _children(node):
                self.read(child, outer)

    def _read_query(self, query: Any, scope: _Scope) -> None:
        target = () if isinstance(query, ast.SelectStmt) else (query.relation,)
        others = query.usingClause if isinstance(query, ast.DeleteStmt) else query.fromClause
        conditions: list[object] = [query.whereClause]
        for item in (*target, *(others or ())):
            self._add(item, scope, conditions)
        for condition in conditions:
            for one in _required(condition):
                self._compare(one, scope)
        for child in _children(query):
            self.read(child, scope)

    def _add(self, item: Any, scope: _Scope, conditions: list[object]) -> None:
        """Add the sources of an item of FROM to the scope, and its conditions to the others."""
        if isinstance(item, ast.JoinExpr):
            conditions.append(item.quals)
            for side in (item.larg, item.rarg):
                self._add(side, scope, conditions)
            return
        table = str(item.relname) if isinstance(item, ast.RangeVar) else ""
        table = "" if table in self._parts else table
        alias = item.alias.aliasname if item.alias else getattr(item, "relname", "")
        source = _Source(table, alias, named=not table)
        scope.sources[alias] = source
        self._sources.append(source)

    def _compare(self, condition: object, scope: _Scope) -> None:
        """Note what an equality says about the spaces of its sides."""
        if not isinstance(condition, ast.A_Expr) or condition.kind != A_Expr_Kind.AEXPR_OP:
            return
        if [part.sval for part in condition.name or ()] != ["="]:
            return
        left, right = (self._space(side, scope) for side in (condition.lexpr, condition.rexpr))
        if left and right:
            # What a query inside says about itself says nothing about the query around it.
            if left[1] is scope:
                self._equal.append((right[0], left[0]))
            if right[1] is scope:
                self._equal.append((left[0], right[0]))
        elif left and _is_value(condition.rexpr):
            left[0].named |= left[1] is scope
        elif right and _is_value(condition.lexpr):
            right[0].named |= right[1] is scope

    def _space(self, side: object, scope: _Scope) -> tuple[_Source, _Scope] | None:
        """Return the source whose space this column is, and the source's scope."""
        if not isinstance(side, ast.ColumnRef):
            return None
        *alias, column = (getattr(part, "sval", "*") for part in side.fields or ())
        found = scope.source(alias[-1] if alias else None)
        if found is None:
            return None
        return found if column == ("id" if found[0].table == SPACES else SPACE) else None


def _required(condition: object) -> Iterator[object]:
    """Return the parts of a condition that AND joins."""
    if isinstance(condition, ast.BoolExpr) and condition.boolop == BoolExprType.AND_EXPR:
        for part in condition.args or ():
            yield from _required(part)
    else:
        yield condition


def _is_value(node: object) -> bool:
    return not any(isinstance(part, ast.ColumnRef | ast.SubLink) for part in below(node))


def below(value: object) -> Iterator[ast.Node]:
    """Return the nodes of a parsed statement, or of parts of one, with all inside them."""
    for node in _nodes(value):
        yield node
        yield from below(tuple(_children(node)))


def _children(node: ast.Node) -> Iterator[ast.Node]:
    return _nodes(tuple(getattr(node, name) for name in node))


def _nodes(value: object) -> Iterator[ast.Node]:
    if isinstance(value, ast.Node):
        yield value
    elif isinstance(value, tuple):  # also lists of lists: the rows of VALUES
        for one in value:
            yield from _nodes(one)
