"""LangGraph: a store, and two nodes that recall before the model and learn after it."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import MessagesState
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)
from langgraph.store.memory import InMemoryStore

from ebb_client.client import Ebb
from ebb_client.errors import Conflict
from ebb_client.for_models import notes
from ebb_client.inputs import ExchangeOptions
from ebb_client.shapes import Memory

_ROOT = "langgraph"  # the tag of all items, and the name of their metadata
_LONGEST_TAG, _MOST_TAGS = 60, 20
_MOST_FOUND = 200

Namespace = tuple[str, ...]


class EbbStore(BaseStore):
    """A LangGraph store whose items are memories of the client's user.

    A search with a query ranks by Ebb's recall, over the texts at `fields` of the values. Items are
    pinned, so they never expire; with `pinned=False` they fade like other memories.
    """

    def __init__(self, ebb: Ebb, *, fields: Sequence[str] = ("$",), pinned: bool = True) -> None:
        self._ebb = ebb
        self._fields = fields
        self._pinned = pinned

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the results of the operations. All reads come before the writes."""
        ops = list(ops)
        results = [self._read(op) for op in ops]
        writes = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        for op in writes.values():
            self._write(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the results of the operations, which run in a thread."""
        return await asyncio.to_thread(self.batch, ops)

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._memory(op.namespace, op.key)
            return None if found is None else self._item(found)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return _local(self._items(())).batch([op])[0]
        return None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix = tuple(op.namespace_prefix)
        items = list(self._ranked(prefix, op.query) if op.query else self._items(prefix))
        if op.filter:
            chosen = _local(items).search((), filter=op.filter, limit=max(len(items), 1))
            names = {(item.namespace, item.key) for item in chosen}
            items = [item for item in items if (item.namespace, item.key) in names]
        return items[op.offset : op.offset + op.limit]

    def _items(self, prefix: Namespace) -> Iterator[SearchItem]:
        """Yield the items below a prefix, newest first."""
        for memory in self._ebb.memories(tag=_tag(prefix)):
            item = self._item(memory)
            if item and item.namespace[: len(prefix)] == prefix:
                yield item

    def _ranked(self, prefix: Namespace, query: str) -> Iterator[SearchItem]:
        """Yield the items below a prefix: first those found, best first, then those that are not
        indexed."""
        found = self._ebb.search(query, tags=[_tag(prefix)], limit=_MOST_FOUND)
        unindexed = []
        for result in found["results"]:
            item = self._item(result["memory"], score=result["score"])
            if item is None or item.namespace[: len(prefix)] != prefix:
                continue
            if result["memory"]["metadata"][_ROOT]["indexed"]:
                yield item
            else:
                item.score = None
                unindexed.append(item)
        yield from unindexed

    def _item(self, memory: Memory, score: float | None = None) -> SearchItem | None:
        """Return the memory as an item, or None if it is not an item of this user."""
        stored = memory["metadata"].get(_ROOT)
        if stored is None:
            return None
        namespace, key = tuple(stored["namespace"]), stored["key"]
        if memory["external_id"] != self._external_id(namespace, key):
            return None
        return SearchItem(
            namespace=namespace,
            key=key,
            value=json.loads(stored["value"]),
            created_at=datetime.fromisoformat(memory["created_at"]),
            updated_at=datetime.fromisoformat(stored["updated_at"]),
            score=score,
        )

    def _memory(self, namespace: Namespace, key: str, **status: Any) -> Memory | None:
        external_id = self._external_id(namespace, key)
        return next(self._ebb.memories(external_id=external_id, **status), None)

    def _external_id(self, namespace: Namespace, key: str) -> str:
        """Return the id of an item. The user is part of it: a user also finds shared items."""
        name = json.dumps([self._ebb.user_id, *namespace, key])
        return f"{_ROOT}:{sha256(name.encode()).hexdigest()}"

    def _write(self, op: PutOp) -> None:
        if op.value is None:
            if memory := self._memory(op.namespace, op.key):
                self._ebb.forget(memory["id"])
            return
        content, fields = self._draft(op)
        external_id = self._external_id(op.namespace, op.key)
        try:
            self._ebb.remember(content, on_duplicate=None, external_id=external_id, **fields)
        except Conflict:
            memory = self._memory(op.namespace, op.key) or self._restored(op)
            if memory is None:
                raise
            self._ebb.revise(memory["id"], content=content, **fields)

    def _restored(self, op: PutOp) -> Memory | None:
        """Restore the item's memory from the bin, where a deletion has moved it."""
        memory = self._memory(op.namespace, op.key, status="binned")
        return self._ebb.restore(memory["id"])[0] if memory else None

    def _draft(self, op: PutOp) -> tuple[str, dict[str, Any]]:
        """Return the text of an item, and the other fields of its memory."""
        paths = self._fields if op.index is None else op.index or ("$",)
        texts = [text for path in paths for text in get_text_at_path(op.value, path)]
        value = json.dumps(op.value, ensure_ascii=False)
        stored = {
            "namespace": list(op.namespace),
            "key": op.key,
            "value": value,
            "updated_at": datetime.now(UTC).isoformat(),
            "indexed": op.index is not False,
        }
        prefixes = [op.namespace[:length] for length in range(_MOST_TAGS)]
        tags = list(dict.fromkeys(_tag(prefix) for prefix in prefixes))
        fields = {"tags": tags, "metadata": {_ROOT: stored}, "pinned": self._pinned}
        return "\n".join(texts).strip() or value, fields


def _tag(prefix: Namespace) -> str:
    """Return the tag of all items below a prefix. Long prefixes share tags, so compare the
    namespaces as well."""
    return ".".join((_ROOT, *prefix[: _MOST_TAGS - 1])).lower()[:_LONGEST_TAG].strip()


def _local(items: Iterable[Item]) -> InMemoryStore:
    """Return LangGraph's own store with these items, for its filters and wildcards."""
    store = InMemoryStore()
    store.batch([PutOp(item.namespace, item.key, item.value) for item in items])
    return store


class MemoryState(MessagesState):
    """Messages, and in `notes` the memories that help with the latest one."""

    notes: str


def recall_node(ebb: Ebb) -> Callable[[MemoryState], dict[str, str]]:
    """Return a node that puts the memories for the latest human message into `notes`."""

    def recall(state: MemoryState) -> dict[str, str]:
        return {"notes": notes(ebb, last_exchange(state["messages"])[0])}

    return recall


def remember_node(ebb: Ebb) -> Callable[[MemoryState, RunnableConfig], None]:
    """Return a node that sends the latest exchange to be assessed. The thread is the
    conversation."""

    def remember(state: MemoryState, config: RunnableConfig) -> None:
        thread = config.get("configurable", {}).get("thread_id")
        send_exchange(ebb, state["messages"], None if thread is None else str(thread))

    return remember


def last_exchange(messages: Sequence[AnyMessage]) -> tuple[str, str]:
    """Return the latest human message and the last reply after it, or empty texts."""
    said, replied = "", ""
    for message in messages:
        if isinstance(message, HumanMessage):
            said, replied = message.text, ""
        elif isinstance(message, AIMessage) and message.text:
            replied = message.text
    return said, replied


def send_exchange(ebb: Ebb, messages: Sequence[AnyMessage], conversation: str | None) -> None:
    """Send the latest exchange to be assessed, if it has a message and a reply."""
    said, replied = last_exchange(messages)
    if said.strip() and replied:
        known: ExchangeOptions = {}
        if conversation is not None:
            known["conversation_id"] = conversation
        ebb.queue_assessment(said, replied, **known)
