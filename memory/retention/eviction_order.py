"""The order in which a full space removes memories, and a filter for the memories near the
front.
"""

from django.db.models import F, Q, Value, Window
from django.db.models.functions import RowNumber

from memory.formulas import retention_sql
from memory.formulas.importance import ADJUSTMENT_BOUND
from memory.formulas.retention import Tiers
from memory.models.learned import effective_importance
from memory.models.memories import MemoryQuerySet

_ROUNDING = 1e-9


def ranked(
    rows: MemoryQuerySet, new: Q, tiers: Tiers, after: int, *, learn: bool
) -> MemoryQuerySet:
    """Rank memories that have `current_importance`; return them in order, each with `contested` and
    `rank`. With `learn`, the effective importance replaces the current one.
    """
    if learn:
        rows = rows.annotate(effective_importance=effective_importance())
    importance = F("effective_importance" if learn else "current_importance")
    contested = retention_sql.contested_importance(F("importance"), importance, tiers, new=new)
    order = [F("contested"), importance, F("created_at"), F("id")]
    place = Window(RowNumber(), partition_by=[F("space_id"), F("user_id")], order_by=order)
    rows = rows.annotate(contested=contested)
    return rows.annotate(rank=place + Value(after)).order_by("rank")


def near_the_front(
    rows: MemoryQuerySet, new: Q, first: int, floor: float, *, learn: bool
) -> MemoryQuerySet:
    """Filter to memories that may be among the `first` to be evicted.

    Decay removes at most the share 1 - floor of an importance, and being new only raises it. So a
    memory is excluded if its importance times floor exceeds the `first`-lowest importance of the
    memories that are not new. An index finds this bound. With `learn`, adjustments may change both
    values.
    """
    least = rows.exclude(new).order_by("importance").values_list("importance", flat=True)
    bound = least[first - 1 : first].first() if first else None
    if bound is None or floor <= 0:
        return rows
    if learn:
        bound += 2 * ADJUSTMENT_BOUND
    return rows.filter(importance__lte=bound / floor * (1 + _ROUNDING))
