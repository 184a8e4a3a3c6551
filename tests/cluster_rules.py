"""Reads a statement of PostgreSQL: would Citus refuse it, although it names its spaces?

These are the rules that Ebb's own statements once broke on a cluster:

- An UPDATE or DELETE may pass a column to no function whose result depends on the session. The sum
  of a time with time zone and an interval does: it must be computed `AT TIME ZONE 'UTC'`
  (memory.formulas.expressions).
- A LATERAL subquery on the rows of spaces may not stand beside a table that has no space.
"""

from collections.abc import Iterator, Set
from typing import Any

from pglast import ast, parse_sql

from tests.space_scopes import below

REFUSED_WITH = ("interval", "LATERAL")
"""Only statements with one of these words can break a rule."""
MOVED = "moves a time by an interval in an UPDATE or DELETE, but not AT TIME ZONE 'UTC'"
BESIDE = "joins a table without spaces with a LATERAL subquery on their rows"


def refused(statement: str, per_space: Set[str], others: Set[str]) -> list[str]:
    """Return what a cluster would refuse in the statement. Raises pglast.parser.ParseError."""
    found = set()
    for node in below(parse_sql(statement)):
        if _table(getattr(node, "relation", None)) in per_space and (parts := _written(node)):
            found |= {MOVED for part in below(parts) if _moves(part)}
        sources = list(_sources(getattr(node, "fromClause", None) or ()))
        if others & {_table(one) for one in sources}:
            found |= {BESIDE for one in sources if per_space & _lateral(one)}
    return sorted(found)


def _written(node: ast.Node) -> tuple[Any, ...]:
    """Return the assignments and the condition of an UPDATE, or the condition of a DELETE."""
    if isinstance(node, ast.UpdateStmt):
        return (*(node.targetList or ()), node.whereClause)
    return (node.whereClause,) if isinstance(node, ast.DeleteStmt) else ()


def _moves(node: ast.Node) -> bool:
    """Return whether the node adds an interval to a time whose zone is not given."""
    sides = _sides(node, "+-")
    return any(map(_is_interval, sides)) and not any(_calls(one, "timezone") for one in sides)


def _is_interval(node: Any) -> bool:
    if isinstance(node, ast.TypeCast):
        return _last(node.typeName and node.typeName.names) == "interval"
    return _calls(node, "make_interval") or any(map(_is_interval, _sides(node, "*/")))


def _sides(node: Any, operators: str) -> tuple[Any, ...]:
    """Return both sides of an operation with one of the operators."""
    if not isinstance(node, ast.A_Expr) or _last(node.name) not in tuple(operators):
        return ()
    return node.lexpr, node.rexpr


def _calls(node: Any, name: str) -> bool:
    return isinstance(node, ast.FuncCall) and _last(node.funcname) == name


def _last(names: Any) -> str:
    return str(names[-1].sval)


def _sources(items: Any) -> Iterator[ast.Node]:
    for item in items:
        if isinstance(item, ast.JoinExpr):
            yield from _sources((item.larg, item.rarg))
        else:
            yield item


def _lateral(source: ast.Node) -> set[str]:
    """Return the tables in a LATERAL subquery."""
    if not isinstance(source, ast.RangeSubselect) or not source.lateral:
        return set()
    return {_table(node) for node in below((source.subquery,))}


def _table(node: object) -> str:
    return str(node.relname) if isinstance(node, ast.RangeVar) else ""
