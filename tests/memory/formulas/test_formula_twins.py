"""The SQL twins of the formulas say what their Python says, to 1e-9, on columns and on numbers."""

import ast
import inspect
from collections.abc import Callable
from datetime import datetime, timedelta
from types import ModuleType

import pytest
from django.db import connection
from django.db.models import F, FloatField, Func, IntegerField, Q, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce

from memory.formulas import (
    importance,
    importance_sql,
    ranking,
    ranking_sql,
    retention,
    retention_sql,
)
from tests.memory.formulas.formula_rows import NOW, Row, rows

PAIRS = [(importance, importance_sql), (ranking, ranking_sql), (retention, retention_sql)]

TIERS = retention.Tiers()
SHORT_TIERS = retention.Tiers(
    permanent_threshold=0.95, medium_days=0.37, very_low_days=0, medium_persistence=0.7
)
TYPED = ranking.PROFILES["typed"]
TOLERANCE = 1e-9


@pytest.fixture
def table(db: None) -> list[Row]:
    """The rows, stored in a table that goes with the test's transaction."""
    with connection.schema_editor() as editor:
        editor.create_model(Row)
    return Row._default_manager.bulk_create(rows())


def since(row: Row) -> datetime:
    return row.last_active_at or row.created_at


def age(row: Row) -> float:
    return importance.age_days(since(row), NOW)


def coef(row: Row) -> float:
    return importance.time_coef(age(row), row.use_count, core=row.core or row.pinned)


def learned(row: Row) -> float:
    return importance.adjustment(row.use_count, row.whole_days, int(row.core), int(row.pinned))


def substance(row: Row) -> float:
    return ranking.substance(row.whole_days, spoken=row.core, asks=row.pinned)


def signals(row: Row) -> dict[str, float]:
    return {
        "semantic": ranking.semantic(row.distance),
        "lexical": ranking.lexical(
            row.rank, row.best_rank, size=row.whole_days, substance=substance(row)
        ),
        "speaker": float(row.core),
        "recency": ranking.recency(age(row), 30),
        "importance": importance.current_importance(row.importance, coef(row)),
    }


SINCE = Coalesce(F("last_active_at"), F("created_at"))
AGE = importance_sql.age_days(SINCE, NOW)
COEF = importance_sql.time_coef(AGE, F("use_count"), core=Q(core=True) | Q(pinned=True))
LEARNED = importance_sql.adjustment(
    F("use_count"),
    F("whole_days"),
    *(Cast(F(name), IntegerField()) for name in ("core", "pinned")),
)
SUBSTANCE = ranking_sql.substance(F("whole_days"), spoken=Q(core=True), asks=Q(pinned=True))
SIGNALS = {
    "semantic": ranking_sql.semantic(F("distance")),
    "lexical": ranking_sql.lexical(
        F("rank"), F("best_rank"), size=F("whole_days"), substance=SUBSTANCE
    ),
    "speaker": Cast(Cast(F("core"), IntegerField()), FloatField()),
    "recency": ranking_sql.recency(AGE, 30),
    "importance": importance_sql.current_importance(F("importance"), COEF),
}

Case = tuple[str, Callable[[Row], object], Combinable]

CASES: list[Case] = [
    (
        "clamp",
        lambda row: importance.clamp(row.persistence),
        importance_sql.clamp(F("persistence")),
    ),
    (
        "emotion",
        lambda row: importance.emotion(row.valence, row.intensity),
        importance_sql.emotion(F("valence"), F("intensity")),
    ),
    (
        "base_importance",
        lambda row: importance.base_importance(
            row.persistence, row.intensity, row.information, row.judgement
        ),
        importance_sql.base_importance(
            F("persistence"), F("intensity"), F("information"), F("judgement")
        ),
    ),
    ("age_days", age, AGE),
    (
        "age_days",
        lambda row: importance.age_days(row.created_at, since(row)),
        importance_sql.age_days(F("created_at"), SINCE),
    ),
    (
        "effective_age",
        lambda row: importance.effective_age(row.whole_days, row.use_count),
        importance_sql.effective_age(F("whole_days"), F("use_count")),
    ),
    ("time_coef", coef, COEF),
    (
        "time_coef",
        lambda row: importance.time_coef(
            row.whole_days, row.use_count, core=row.core, floor=0.9, scale_days=14
        ),
        importance_sql.time_coef(
            F("whole_days"), F("use_count"), core=F("core"), floor=0.9, scale_days=14
        ),
    ),
    (
        "time_coef",
        lambda row: importance.time_coef(row.whole_days, 0, core=False, scale_days=0.01),
        importance_sql.time_coef(F("whole_days"), 0, core=False, scale_days=0.01),
    ),
    (
        "current_importance",
        lambda row: importance.current_importance(row.importance, coef(row)),
        SIGNALS["importance"],
    ),
    ("adjustment", learned, LEARNED),
    (
        "adjustment",
        lambda row: importance.adjustment(0, 0, row.whole_days, 3),
        importance_sql.adjustment(0, 0, F("whole_days"), 3),
    ),
    (
        "effective_importance",
        lambda row: importance.effective_importance(row.importance, learned(row)),
        importance_sql.effective_importance(F("importance"), LEARNED),
    ),
    (
        "reinforced",
        lambda row: importance.reinforced(row.importance, row.intensity),
        importance_sql.reinforced(F("importance"), F("intensity")),
    ),
    ("semantic", lambda row: ranking.semantic(row.distance), SIGNALS["semantic"]),
    ("word_match", lambda row: ranking.word_match(row.rank), ranking_sql.word_match(F("rank"))),
    (
        "word_match",
        lambda row: ranking.word_match(row.rank * 7),
        ranking_sql.word_match(F("rank") * 7.0),
    ),
    (
        "rarity",
        lambda row: ranking.rarity(row.use_count, row.use_count + row.whole_days),
        ranking_sql.rarity(F("use_count"), F("use_count") + F("whole_days")),
    ),
    ("lexical", lambda row: signals(row)["lexical"], SIGNALS["lexical"]),
    (
        "lexical",
        lambda row: ranking.lexical(row.rank * 400, row.best_rank * 400, size=9, substance=1),
        ranking_sql.lexical(F("rank") * 400.0, F("best_rank") * 400.0, size=9, substance=1),
    ),
    ("substance", substance, SUBSTANCE),
    ("recency", lambda row: ranking.recency(age(row), 30), SIGNALS["recency"]),
    (
        "recency",
        lambda row: ranking.recency(age(row), 30, whole_days=True),
        ranking_sql.recency(AGE, 30, whole_days=True),
    ),
    (
        "recency",
        lambda row: ranking.recency(row.whole_days, 14),
        ranking_sql.recency(F("whole_days"), 14),
    ),
    (
        "recency",
        lambda row: ranking.recency(row.whole_days, 0.01),
        ranking_sql.recency(F("whole_days"), 0.01),
    ),
    *(
        (
            "contributions",
            lambda row, p=profile, s=signal: ranking.contributions(signals(row), p)[s],
            ranking_sql.contributions(SIGNALS, profile)[signal],
        )
        for profile in ranking.PROFILES.values()
        for signal in profile.weights
    ),
    *(
        (
            "score",
            lambda row, p=profile: ranking.score(signals(row), p),
            ranking_sql.score(SIGNALS, profile),
        )
        for profile in ranking.PROFILES.values()
    ),
    (
        "past_bonus",
        lambda row: ranking.past_bonus(row.importance, float(row.core)),
        ranking_sql.past_bonus(F("importance"), SIGNALS["speaker"]),
    ),
    (
        "others_cost",
        lambda row: ranking.others_cost(row.importance, float(row.core)),
        ranking_sql.others_cost(F("importance"), SIGNALS["speaker"]),
    ),
    (
        "match_percent",
        lambda row: ranking.match_percent(row.persistence),
        ranking_sql.match_percent(F("persistence")),
    ),
    *(
        case
        for tiers in (TIERS, SHORT_TIERS)
        for case in (
            (
                "ttl_seconds",
                lambda row, t=tiers: retention.ttl_seconds(row.importance, t),
                retention_sql.ttl_seconds(F("importance"), tiers),
            ),
            (
                "ttl_seconds",
                lambda row, t=tiers: retention.ttl_seconds(row.importance, t, row.persistence),
                retention_sql.ttl_seconds(F("importance"), tiers, F("persistence")),
            ),
            (
                "expires_at",
                lambda row, t=tiers: retention.expires_at(row.created_at, row.importance, t),
                retention_sql.expires_at(F("created_at"), F("importance"), tiers),
            ),
        )
    ),
    (
        "is_expired",
        lambda row: retention.is_expired(row.expires_at, NOW),
        retention_sql.is_expired(F("expires_at"), NOW),
    ),
    (
        "life_left",
        lambda row: retention.life_left(row.created_at, row.expires_at, NOW),
        retention_sql.life_left(F("created_at"), F("expires_at"), NOW),
    ),
    *(
        (
            "in_grace",
            lambda row, h=hours: retention.in_grace(row.created_at, NOW, h),
            retention_sql.in_grace(F("created_at"), NOW, hours),
        )
        for hours in (0, 0.5, 24, 2000)
    ),
    *(
        (
            "contested_importance",
            lambda row, t=tiers: retention.contested_importance(
                row.importance, row.importance * 0.9, t, new=row.pinned
            ),
            retention_sql.contested_importance(
                F("importance"), F("importance") * 0.9, tiers, new=F("pinned")
            ),
        )
        for tiers in (TIERS, SHORT_TIERS)
    ),
]


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
