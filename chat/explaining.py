"""Why each memory was recalled for a reply, worked out while the reply is written.

An explanation costs about as much as the recall itself: it ranks everything once for each signal.
So it is worked out only for replies that somebody looks at, and begins with the first token, which
must not wait for it.
"""

import asyncio
import logging
from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db import DatabaseError

from memory.connections import in_thread
from memory.memories.schemas import results_out
from memory.recall.recall import Recall, explained
from memory.recall.sql import JUST_MISSED

logger = logging.getLogger(__name__)

Stored = dict[str, Any]  # a search result as JSON (memory.memories.schemas.ResultOut)


class Why:
    """The explanation of one recall: begun once, waited for at the end, used as far as it came."""

    def __init__(self, found: Recall) -> None:
        self._found = found
        self._work: asyncio.Future[None] | None = None
        self._explained: list[Stored] = []

    def begin(self) -> None:
        """Explains on a thread; does nothing the second time."""
        if self._work is None:
            self._work = asyncio.ensure_future(in_thread(self._explain))

    async def wait(self) -> None:
        """Returns when it is there, or will not come."""
        self.begin()
        if self._work is not None:
            await asyncio.shield(self._work)

    def ranked(self, recalled: Sequence[Stored]) -> list[Stored]:
        """What was put before the model, with the ranks it had.

        What was given stays what it was, with its numbers. A memory that a tool found, or that was
        let go since, has no rank.
        """
        ranks = {
            hit["memory"]["id"]: {name: hit[name] for name in ("rank", "rank_without")}
            for hit in self._explained
        }
        return [hit | ranks.get(hit["memory"]["id"], {}) for hit in recalled]

    def missed(self, given: Collection[UUID]) -> list[Stored]:
        """What came next, and was not put before the model by a tool either."""
        ids = {str(id_) for id_ in given}
        return [hit for hit in self._explained if hit["memory"]["id"] not in ids][:JUST_MISSED]

    def _explain(self) -> None:
        try:
            found = explained(self._found)
        except DatabaseError as error:
            # The reply does not depend on it: it is shown without ranks.
            logger.warning("A reply's recall could not be explained: %s", error)
            return
        self._explained = results_out([*found.results, *found.missed])
