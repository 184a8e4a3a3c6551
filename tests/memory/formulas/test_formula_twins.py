"""The SQL twins of the formulas say what their Python says, to 1e-9, on columns and on numbers."""

import ast
import inspect
from datetime import timedelta
from types import ModuleType

import pytest
from django.db import connection
from django.db.models import F, Func, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from memory.formulas import (
    importance,
    importance_sql,
    ranking,
    ranking_sql,
    retention,
    retention_sql,
)
from tests.memory.formulas.formula_cases import CASES, TIERS, TYPED
from tests.memory.formulas.formula_rows import NOW, Row, rows

PAIRS = [(importance, importance_sql), (ranking, ranking_sql), (retention, retention_sql)]

TOLERANCE = 1e-9


@pytest.fixture
def table(db: None) -> list[Row]:
    """The rows, stored in a table that goes with the test's transaction."""
    with connection.schema_editor() as editor:
        editor.create_model(Row)
    return Row._default_manager.bulk_create(rows())


def functions(module: ModuleType) -> dict[str, list[str]]:
    """Public functions of a module in the order of its text, each with its parameters' names."""
    tree = ast.parse(inspect.getsource(module))
    return {
        node.name: [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def same(expected: object, found: object) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        return abs(expected - found) <= TOLERANCE
    return type(expected) is type(found) and expected == found


@pytest.mark.parametrize(("python", "sql"), PAIRS, ids=lambda module: module.__name__)
def test_twins_have_the_same_functions_in_the_same_order(
    python: ModuleType, sql: ModuleType
) -> None:
    assert list(functions(python).items()) == list(functions(sql).items())


def test_every_function_is_compared() -> None:
    public = {name for python, _ in PAIRS for name in functions(python)}
    assert {name for name, _, _ in CASES} == public


def evaluate(expressions: list[Combinable]) -> list[object]:
    """The values of expressions that need no column, or the first row's."""
    named = {f"value_{i}": expression for i, expression in enumerate(expressions)}
    return list(Row._default_manager.order_by("pk").annotate(**named).values_list(*named)[0])


def test_twins_agree_on_every_row(table: list[Row]) -> None:
    expressions = {f"case_{i}": expression for i, (_, _, expression) in enumerate(CASES)}
    found = Row._default_manager.order_by("pk").annotate(**expressions).values_list(*expressions)
    different = []
    for row, values in zip(table, found, strict=True):
        for (name, python, _), value in zip(CASES, values, strict=True):
            if not same(python(row), value):
                different.append(f"{name}: Python {python(row)!r}, SQL {value!r}, {row}")
    assert different == []


def test_twins_agree_on_plain_numbers(table: list[Row]) -> None:
    """Literals are typed otherwise than columns: a bare 0.6 is numeric, a bare 14 an integer."""
    ahead, gone = NOW + timedelta(days=20), NOW - timedelta(days=10)
    pairs: list[tuple[object, Combinable]] = [
        (importance.emotion(-0.5, 0.7), importance_sql.emotion(-0.5, 0.7)),
        (importance.base_importance(1, 0, 1, 0), importance_sql.base_importance(1, 0, 1, 0)),
        (importance.age_days(gone, NOW), importance_sql.age_days(gone, NOW)),
        (importance.effective_age(10, 14), importance_sql.effective_age(10, 14)),
        (importance.time_coef(10, 14, core=False), importance_sql.time_coef(10, 14, core=False)),
        (importance.time_coef(10, 14, core=True), importance_sql.time_coef(10, 14, core=True)),
        (importance.adjustment(5, 1, 0, 2), importance_sql.adjustment(5, 1, 0, 2)),
        (
            importance.effective_importance(0.9, 0.15),
            importance_sql.effective_importance(0.9, 0.15),
        ),
        (ranking.word_match(0.4), ranking_sql.word_match(0.4)),
        (ranking.rarity(1, 3), ranking_sql.rarity(1, 3)),
        (
            ranking.lexical(1, 3, size=500, substance=0.4),
            ranking_sql.lexical(1, 3, size=500, substance=0.4),
        ),
        (
            ranking.substance(40, spoken=True, asks=True),
            ranking_sql.substance(40, spoken=True, asks=True),
        ),
        (ranking.recency(3, 14), ranking_sql.recency(3, 14)),
        (ranking.match_percent(0.925), ranking_sql.match_percent(0.925)),
        (retention.ttl_seconds(0.5, TIERS), retention_sql.ttl_seconds(0.5, TIERS)),
        (retention.expires_at(NOW, 0.5, TIERS), retention_sql.expires_at(NOW, 0.5, TIERS)),
        (
            retention.after_event(NOW, gone, ahead, "day"),
            retention_sql.after_event(NOW, gone, ahead, Value("day")),
        ),
        (retention.is_expired(ahead, NOW), retention_sql.is_expired(ahead, NOW)),
        (retention.life_left(gone, ahead, NOW), retention_sql.life_left(gone, ahead, NOW)),
        (retention.life_left(NOW, NOW, NOW), retention_sql.life_left(NOW, NOW, NOW)),
        (retention.in_grace(gone, NOW, 24), retention_sql.in_grace(gone, NOW, 24)),
        (retention.in_grace(gone, NOW, 250), retention_sql.in_grace(gone, NOW, 250)),
        (
            retention.contested_importance(0.01, 0.01, TIERS, new=True),
            retention_sql.contested_importance(0.01, 0.01, TIERS, new=True),
        ),
    ]
    found = evaluate([expression for _, expression in pairs])
    for (expected, _), value in zip(pairs, found, strict=True):
        assert same(expected, value), (expected, value)


def test_fractions_are_double_precision_throughout(table: list[Row]) -> None:
    """Numeric would be right too, and several times slower."""
    fractions = [sql for _, python, sql in CASES if isinstance(python(table[0]), float)]
    types = evaluate([Cast(Func(sql, function="pg_typeof"), TextField()) for sql in fractions])
    assert len(types) > 20
    assert set(types) == {"double precision"}


def test_null_is_neither_today_nor_certain(table: list[Row]) -> None:
    """greatest() and least() skip NULL: around one, they would answer age 0 and similarity 1."""
    no_date = Cast(Value(None), Row._meta.get_field("created_at"))
    no_number = Cast(Value(None), Row._meta.get_field("importance"))
    assert evaluate(
        [
            importance_sql.age_days(no_date, NOW),
            importance_sql.clamp(no_number),
            importance_sql.emotion(no_number, 0.5),
            importance_sql.base_importance(1, no_number, 1, 1),
            ranking_sql.semantic(no_number),
            ranking_sql.word_match(no_number),
            ranking_sql.lexical(no_number, 0.5, size=10, substance=1),
            ranking_sql.recency(no_number, 30),
        ]
    ) == [None, None, None, None, 0.0, 0.0, 0.0, pytest.approx(0.0)]


def test_an_importance_next_to_nothing_fails_no_query(table: list[Row]) -> None:
    """PostgreSQL raises "value out of range: underflow" where Python answers 0."""
    tiny = importance_sql.current_importance(F("importance"), 0.1)
    Row._default_manager.update(importance=5e-324)
    (score,) = evaluate([ranking_sql.score({"semantic": 0.5, "importance": tiny}, TYPED)])
    assert score == 0.5
