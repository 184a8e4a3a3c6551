"""Each formula in Python and its twin in SQL, on the columns of the rows."""

from collections.abc import Callable
from datetime import datetime

from django.db.models import F, FloatField, IntegerField, Q
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
from tests.memory.formulas.formula_rows import NOW, Row

TIERS = retention.Tiers()
SHORT_TIERS = retention.Tiers(
    permanent_threshold=0.95, medium_days=0.37, very_low_days=0, medium_persistence=0.7
)
TYPED = ranking.PROFILES["typed"]


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
        "after_event",
        lambda row: retention.after_event(
            row.expires_at, row.created_at, row.event_at, row.event_precision
        ),
        retention_sql.after_event(
            F("expires_at"), F("created_at"), F("event_at"), F("event_precision")
        ),
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
