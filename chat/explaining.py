"""Why each memory was recalled for a reply: its ranks, and what nearly was recalled.

An explanation costs about as much as the recall itself: it ranks everything once for each signal.
So it is worked out only for replies that somebody looks at, when they have ended.
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


def explain(found: Recall) -> list[Stored]:
    """Returns what was recalled and what came next, each with its ranks; [] if that fails."""
    try:
        ranked = explained(found)
    except DatabaseError as error:
        # The reply does not depend on it: it is shown without ranks.
        logger.warning("A reply's recall could not be explained: %s", error)
        return []
    return results_out([*ranked.results, *ranked.missed])


def with_ranks(recalled: Sequence[Stored], explanation: Sequence[Stored]) -> list[Stored]:
    """Returns what was sent to the model, with the ranks it had.

    What was sent stays what it was, with its numbers. A memory that a tool found, or that was
    deleted since, has no rank.
    """
    ranks = {
        hit["memory"]["id"]: {name: hit[name] for name in ("rank", "rank_without")}
        for hit in explanation
    }
    return [hit | ranks.get(hit["memory"]["id"], {}) for hit in recalled]


def just_missed(explanation: Sequence[Stored], sent: Collection[UUID]) -> list[Stored]:
    """Returns what came next in rank and was not sent to the model by a tool either."""
    ids = {str(id_) for id_ in sent}
    return [hit for hit in explanation if hit["memory"]["id"] not in ids][:JUST_MISSED]
