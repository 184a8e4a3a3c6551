"""Reads a statement of PostgreSQL: would Citus refuse it, although it names its spaces?

These are the rules that Ebb's own statements once broke on a cluster:

- An UPDATE may call no function whose result depends on the session. The sum of a time with time
  zone and an interval does: it must be computed `AT TIME ZONE 'UTC'` (memory.formulas.expressions).
- A LATERAL subquery on the rows of spaces may not stand beside a table that has no space.
"""

from collections.abc import Iterator, Set
from typing import Any

from pglast import ast, parse_sql

from tests.space_scopes import below

REFUSED_WITH = ("interval", "LATERAL")
"""Only statements with one of these words can break a rule."""
MOVED = "moves a time by an interval in an UPDATE, but not AT TIME ZONE 'UTC'"
BESIDE = "joins a table without spaces with a LATERAL subquery on their rows"


def refused(statement: str, per_space: Set[str], others: Set[str]) -> list[str]:
    """Return what a cluster would refuse in the statement. Raises pglast.parser.ParseError."""
    found = set()
    for node in below(parse_sql(statement)):
        if isinstance(node, ast.UpdateStmt) and _table(node.relation) in per_space:
            parts = (*(node.targetList or ()), node.whereClause)
            found |= {MOVED for part in below(parts) if _moves(part)}
        sources = list(_sources(getattr(node, "fromClause", None) or ()))
        if others & {_table(one) for one in sources}:
            found |= {BESIDE for one in sources if per_space & _lateral(one)}
    return sorted(found)


def _moves(node: ast.Node) -> bool:
    """Return whether the node adds an interval to a time whose zone is not given."""
    if not isinstance(node, ast.A_Expr) or node.name[0].sval not in "+-":
        return False
    sides = (node.lexpr, node.rexpr)
    return any(map(_is_interval, sides)) and not any(map(_in_a_zone, sides))


def _is_interval(node: object) -> bool:
    if isinstance(node, ast.A_Expr):
        return node.name[0].sval in "*/" and any(map(_is_interval, (node.lexpr, node.rexpr)))
    if isinstance(node, ast.TypeCast):
        return bool(node.typeName.names[-1].sval == "interval")
    return _calls(node, "make_interval")


def _in_a_zone(node: object) -> bool:
    return _calls(node, "timezone")


def _calls(node: object, name: str) -> bool:
    return isinstance(node, ast.FuncCall) and bool(node.funcname[-1].sval == name)


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
