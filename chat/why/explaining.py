"""Explains the recall of a reply: each memory's ranks, and the memories that just missed.

An explanation costs about as much as the recall itself: it ranks everything once per signal. So it
is computed only for replies that are viewed, after their end.
"""

import logging
from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db import DatabaseError

from memory.memories.schemas import results_out
from memory.recall.recall import Recall, explained
from memory.recall.sql import JUST_MISSED

logger = logging.getLogger(__name__)

Stored = dict[str, Any]  # a search result as JSON (memory.memories.schemas.ResultOut)
OFFERED = "offered"
"""The key of a stored result that the reply offers to delete."""


def explain(found: Recall) -> list[Stored]:
    """Return the recalled and the just-missed memories with their ranks; [] if that fails."""
    try:
        ranked = explained(found)
    except DatabaseError as error:
        # The reply does not need the explanation; the page shows it without ranks.
        logger.warning("A reply's recall could not be explained: %s", error)
        return []
    return results_out([*ranked.results, *ranked.missed])


def with_ranks(recalled: Sequence[Stored], explanation: Sequence[Stored]) -> list[Stored]:
    """Return the memories sent to the model with their ranks added.

    The stored results stay unchanged. A memory that a tool found, or that was deleted since, has no
    rank.
    """
    ranks = {
        hit["memory"]["id"]: {name: hit[name] for name in ("rank", "rank_without")}
        for hit in explanation
    }
    return [hit | ranks.get(hit["memory"]["id"], {}) for hit in recalled]


def only_offered(recalled: Sequence[Stored], offered: Collection[UUID]) -> list[Stored]:
    """Return the memories that the reply offers to delete, marked as such."""
    ids = {str(id_) for id_ in offered}
    return [hit | {OFFERED: True} for hit in recalled if hit["memory"]["id"] in ids]


def just_missed(explanation: Sequence[Stored], sent: Collection[UUID]) -> list[Stored]:
    """Return the next memories in rank that were not sent to the model, not even by a tool."""
    ids = {str(id_) for id_ in sent}
    return [hit for hit in explanation if hit["memory"]["id"] not in ids][:JUST_MISSED]
