"""CrewAI: a memory for crews and agents."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Literal

from crewai.memory import MemoryMatch, MemoryRecord, ScopeInfo
from crewai.memory.unified_memory import Memory
from crewai.memory.utils import join_scope_paths, normalize_scope_path
from pydantic import PrivateAttr

from ebb_client import inputs, shapes
from ebb_client.client import Ebb
from ebb_client.errors import NotFound

_ROOT = "crewai"  # the tag of CrewAI's memories, and the name of their metadata
_MOST_FOUND = 200
_LONGEST_QUERY = 20_000  # characters that the API accepts


class EbbMemory(Memory):
    """The memories of the client's user.

    CrewAI's `llm` extracts memories from the results of tasks. Ebb ranks them and finds
    restatements, so no embedder is needed. `recall` finds all memories of the user; the lists,
    `forget` and `reset` concern only those that CrewAI saved.
    """

    _ebb: Ebb = PrivateAttr()

    def __init__(self, ebb: Ebb, **fields: Any) -> None:
        fields |= {"storage": _Storage(ebb), "embedder": _no_vectors}
        super().__init__(**fields)
        self._ebb = ebb

    def remember(
        self,
        content: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> MemoryRecord | None:
        """Save a memory, or reinforce a known one; return it, or None if this is read-only."""
        if self.read_only:
            return None
        root = self.root_scope if root_scope is None else root_scope
        stored = {
            "scope": join_scope_paths(root, scope),
            "categories": categories or [],
            "source": source,
            "private": private,
        }
        named = {**(metadata or {}), _ROOT: stored}
        options: inputs.MemoryOptions = {"metadata": named, "tags": [_ROOT]}
        if importance is not None:
            options["importance"] = importance
        return _record(self._ebb.remember(content, **options))

    def remember_many(
        self,
        contents: list[str],
        scope: str | None = None,
        categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        importance: float | None = None,
        source: str | None = None,
        private: bool = False,
        agent_role: str | None = None,
        root_scope: str | None = None,
    ) -> list[MemoryRecord]:
        """Save memories, or reinforce known ones; return them."""
        saved = (
            self.remember(
                content,
                scope=scope,
                categories=categories,
                metadata=metadata,
                importance=importance,
                source=source,
                private=private,
                root_scope=root_scope,
            )
            for content in contents
        )
        return [record for record in saved if record]

    def recall(
        self,
        query: str,
        scope: str | None = None,
        categories: list[str] | None = None,
        limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep",
        source: str | None = None,
        include_private: bool = False,
    ) -> list[MemoryMatch]:
        """Return the memories that help with a query, best first. Both depths are the same."""
        if not query.strip():
            return []
        inside = join_scope_paths(self.root_scope, scope)
        found = self._ebb.recall(query[:_LONGEST_QUERY], limit=_MOST_FOUND)["data"]["results"]
        matches = (
            MemoryMatch(
                record=_record(result["memory"]),
                score=result["score"],
                match_reasons=[result["match"]],
            )
            for result in found
        )
        return [
            match
            for match in matches
            if _is_in(match.record, inside, categories)
            and (include_private or _is_visible(match.record, source))
        ][:limit]


class _Storage:
    """The memories that CrewAI saved for the client's user. CrewAI's `Memory` lists, changes and
    deletes them. A scope contains the scopes below it."""

    def __init__(self, ebb: Ebb) -> None:
        self._ebb = ebb

    def _records(
        self, scope: str | None, categories: list[str] | None = None
    ) -> Iterator[MemoryRecord]:
        """Yield the memories in a scope, newest first."""
        for memory in self._ebb.memories(tag=_ROOT):
            if _ROOT in memory["metadata"] and memory["user_id"] == self._ebb.user_id:
                record = _record(memory)
                if _is_in(record, scope or "/", categories):
                    yield record

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return a memory of the user, or None."""
        try:
            return _record(self._ebb.memory(record_id))
        except NotFound:
            return None

    def update(self, record: MemoryRecord) -> None:
        """Save the changes of a memory."""
        memory = self._ebb.memory(record.id)
        before = _record(memory)
        stored = {**memory["metadata"].get(_ROOT, {}), "scope": record.scope}
        stored["categories"] = record.categories
        changes: inputs.MemoryChanges = {"metadata": {**record.metadata, _ROOT: stored}}
        if record.content != before.content:
            changes["content"] = record.content
        if record.importance != before.importance:
            changes["importance"] = record.importance
        self._ebb.revise(record.id, **changes)

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Move the matching memories to the recycle bin; return their number."""
        chosen = [
            record.id
            for record in self._records(scope_prefix, categories)
            if (record_ids is None or record.id in record_ids)
            and (older_than is None or record.created_at < _naive(older_than))
            and (metadata_filter or {}).items() <= record.metadata.items()
        ]
        for record_id in chosen:
            self._ebb.forget(record_id)
        return len(chosen)

    def reset(self, scope_prefix: str | None = None) -> None:
        """Move the memories of a scope to the recycle bin."""
        self.delete(scope_prefix)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return memories of a scope, newest first."""
        return list(islice(self._records(scope_prefix), offset, offset + limit))

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return the numbers of a scope."""
        records = list(self._records(scope))
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted({name for record in records for name in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=_children(records, scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes directly below a scope."""
        return _children(self._records(parent), parent)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return the categories of a scope with the numbers of their memories."""
        records = self._records(scope_prefix)
        return dict(Counter(name for record in records for name in record.categories))


def _record(memory: shapes.Memory) -> MemoryRecord:
    """Return a memory as CrewAI's record. One that CrewAI did not save is in the root scope."""
    metadata = dict(memory["metadata"])
    stored = metadata.pop(_ROOT, {})
    return MemoryRecord(
        id=memory["id"],
        content=memory["content"],
        metadata=metadata,
        importance=memory["importance"],
        created_at=_naive(datetime.fromisoformat(memory["created_at"])),
        last_accessed=_naive(
            datetime.fromisoformat(memory["last_active_at"] or memory["created_at"])
        ),
        **stored,
    )


def _is_in(record: MemoryRecord, scope: str, categories: list[str] | None) -> bool:
    """Return whether a record is in a scope or below it, and in one of these categories."""
    inside = normalize_scope_path(scope).rstrip("/") + "/"
    fits = not categories or not set(categories).isdisjoint(record.categories)
    return fits and f"{record.scope}/".replace("//", "/").startswith(inside)


def _is_visible(record: MemoryRecord, source: str | None) -> bool:
    """Return whether a recall for this source may show a record."""
    return not record.private or (source is not None and record.source == source)


def _children(records: Iterable[MemoryRecord], parent: str) -> list[str]:
    root = normalize_scope_path(parent).rstrip("/")
    below = (record.scope.removeprefix(root).strip("/") for record in records)
    return sorted({f"{root}/{path.split('/')[0]}" for path in below if path})


def _naive(moment: datetime) -> datetime:
    """Return a time as CrewAI writes it: UTC, without a zone."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _no_vectors(texts: list[str]) -> list[list[float]]:
    """Return no vectors: Ebb has its own."""
    return []
