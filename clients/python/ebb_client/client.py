"""Ebb's JSON API, one method per call. docs/api.md describes the calls."""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Unpack
from urllib.parse import quote
from uuid import uuid4

from ebb_client import shapes
from ebb_client.wire import Event, Wire

_PAGE = 200
_part = partial(quote, safe="")  # quotes one part of a path


class Ebb:
    """A space of memories. `url` and `key` default to EBB_URL and EBB_KEY.

    `timeout`, in seconds, limits each wait for data. `retries` is the number of retries of calls
    that may safely be repeated. Every method raises EbbError.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 60,
        retries: int = 2,
    ) -> None:
        url = url or os.environ.get("EBB_URL", "http://127.0.0.1:8000")
        key = (key or os.environ.get("EBB_KEY", "")).strip()  # files end with a newline
        if not key:
            raise ValueError("no API key: give `key`, or set EBB_KEY")
        url = url.rstrip("/").removesuffix("/api/v1")
        self._wire = Wire(f"{url}/api/v1", key, timeout=timeout, retries=retries)

    # --- Memories -----------------------------------------------------------------------------

    def remember(
        self,
        content: str,
        *,
        on_duplicate: Literal["reinforce"] | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[shapes.MemoryOptions],
    ) -> shapes.Memory:
        """Save a memory. Calls with the same `idempotency_key` save it only once."""
        body = {"content": content, "on_duplicate": on_duplicate, **options}
        key = idempotency_key or uuid4().hex
        memory: shapes.Memory = self._wire.call("POST", "memories", body, idempotency_key=key)
        return memory

    def remember_all(
        self, drafts: Sequence[shapes.MemoryDraft], *, idempotency_key: str | None = None
    ) -> list[shapes.Memory]:
        """Save up to a thousand memories, all or none, once per `idempotency_key`."""
        key = idempotency_key or uuid4().hex
        body = {"items": list(drafts)}
        made = self._wire.call("POST", "memories/batch", body, idempotency_key=key)
        memories: list[shapes.Memory] = made["items"]
        return memories

    def search(self, query: str, **options: Unpack[shapes.SearchOptions]) -> shapes.Search:
        """Return the memories that fit a question, best first."""
        body = {"query": query, **options}
        found: shapes.Search = self._wire.call("POST", "memories/search", body, twice=True)
        return found

    def memories(self, **filters: Unpack[shapes.MemoryFilters]) -> Iterator[shapes.Memory]:
        """Yield all memories that match the filters, page by page."""
        return self._pages("memories", filters)

    def memory(self, id: str) -> shapes.Memory:
        """Return one memory, by full or short id."""
        memory: shapes.Memory = self._wire.call("GET", f"memories/{_part(id)}")
        return memory

    def revise(self, id: str, **changes: Unpack[shapes.MemoryChanges]) -> shapes.Memory:
        """Change a memory; its earlier version is kept."""
        memory: shapes.Memory = self._wire.call("PATCH", f"memories/{_part(id)}", changes)
        return memory

    def revisions(self, id: str) -> list[shapes.Revision]:
        """Return a memory's earlier versions, newest first."""
        return list(self._pages(f"memories/{_part(id)}/revisions"))

    def revert(self, id: str, revision: int) -> shapes.Memory:
        """Restore the content of an earlier version."""
        body = {"revision": revision}
        memory: shapes.Memory = self._wire.call("POST", f"memories/{_part(id)}/revert", body)
        return memory

    def forget(self, id: str) -> shapes.Memory:
        """Move a memory to the recycle bin."""
        memory: shapes.Memory = self._wire.call("DELETE", f"memories/{_part(id)}")
        return memory

    # --- Recycle bin, review and history ----------------------------------------------------------

    def recycle_bin(self) -> Iterator[shapes.BinnedMemory]:
        """Yield the memories in the bin, latest first."""
        return self._pages("recycle-bin")

    def restore(self, *ids: str) -> list[shapes.Memory]:
        """Restore memories from the bin, all or none."""
        restored = self._wire.call("POST", "recycle-bin/restore", {"ids": list(ids)})
        memories: list[shapes.Memory] = restored["items"]
        return memories

    def purge(self, id: str) -> None:
        """Purge a memory in the bin. This cannot be undone."""
        self._wire.call("DELETE", f"recycle-bin/{_part(id)}")

    def review(self) -> Iterator[shapes.HeldMemory]:
        """Yield the memories waiting for review, newest first."""
        return self._pages("review")

    def approve(self, id: str) -> shapes.HeldMemory:
        """Approve a memory in review.

        Returns the memory that now has its content, possibly an older one.
        """
        memory: shapes.HeldMemory = self._wire.call("POST", f"memories/{_part(id)}/approve")
        return memory

    def reject(self, id: str) -> shapes.HeldMemory:
        """Reject a memory in review and move it to the bin."""
        memory: shapes.HeldMemory = self._wire.call("POST", f"memories/{_part(id)}/reject")
        return memory

    def history(
        self,
        *,
        action: str | None = None,
        memory_id: str | None = None,
        since: str | None = None,
    ) -> Iterator[shapes.HistoryEvent]:
        """Yield the events of the space, latest first."""
        filters = {"action": action, "memory_id": memory_id, "since": since}
        return self._pages("history", filters)

    # --- Policy -----------------------------------------------------------------------------------

    def policy(self) -> dict[str, Any]:
        """Return the space's policy."""
        policy: dict[str, Any] = self._wire.call("GET", "policy")
        return policy

    def change_policy(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Change parts of the policy; omitted fields stay unchanged."""
        policy: dict[str, Any] = self._wire.call("PATCH", "policy", changes)
        return policy

    def preview_policy(
        self, changes: Mapping[str, Any], *, queries: Sequence[str] = (), as_of: str | None = None
    ) -> dict[str, Any]:
        """Return the effect of policy changes without applying them."""
        body = {"changes": changes, "queries": list(queries), "as_of": as_of}
        preview: dict[str, Any] = self._wire.call("POST", "policy/preview", body, twice=True)
        return preview

    def sweep(self) -> shapes.Swept:
        """Run the cleanup now: expired memories, then those over capacity, then the bin."""
        swept: shapes.Swept = self._wire.call("POST", "sweep", twice=True)
        return swept

    def profiles(self) -> list[dict[str, Any]]:
        """Return the ranking profiles."""
        profiles: list[dict[str, Any]] = self._wire.call("GET", "profiles")["items"]
        return profiles

    # --- Assessment -------------------------------------------------------------------------------

    def assess(
        self,
        user_message: str,
        assistant_response: str = "",
        *,
        store: bool = False,
        **options: Unpack[shapes.ExchangeOptions],
    ) -> shapes.Judged:
        """Assess an exchange and return the result; stored only with `store`."""
        body = {"user_message": user_message, "assistant_response": assistant_response}
        judged: shapes.Judged = self._wire.call(
            "POST", "assess", {**body, "store": store, **options}, twice=not store
        )
        return judged

    def queue_assessment(
        self,
        user_message: str,
        assistant_response: str = "",
        *,
        idempotency_key: str | None = None,
        **options: Unpack[shapes.ExchangeOptions],
    ) -> shapes.Queued:
        """Queue an exchange for assessment and storage in the background."""
        body = {"user_message": user_message, "assistant_response": assistant_response, **options}
        key = idempotency_key or uuid4().hex
        queued: shapes.Queued = self._wire.call("POST", "assessments", body, idempotency_key=key)
        return queued

    def assessment(self, id: str) -> shapes.Assessment:
        """Return the state and result of an assessment."""
        assessment: shapes.Assessment = self._wire.call("GET", f"assessments/{_part(id)}")
        return assessment

    def assessments(self, *, status: str | None = None) -> Iterator[shapes.Assessment]:
        """Yield all assessments, newest first."""
        return self._pages("assessments", {"status": status})

    def retry_assessment(self, id: str) -> shapes.Queued:
        """Queue a failed assessment again."""
        queued: shapes.Queued = self._wire.call("POST", f"assessments/{_part(id)}/retry")
        return queued

    # --- Conversation ---------------------------------------------------------------------------

    def chat(self, message: str, **options: Unpack[shapes.ChatOptions]) -> shapes.Reply:
        """Send a message and return the whole reply."""
        reply: shapes.Reply = self._wire.call("POST", "chat", {"message": message, **options})
        return reply

    def stream_chat(self, message: str, **options: Unpack[shapes.ChatOptions]) -> Iterator[Event]:
        """Send a message and yield the reply as events: `recalled`, `token` (`data["text"]`),
        `done`.
        """
        return self._wire.stream("chat", {"message": message, "stream": True, **options})

    def conversations(self, *, q: str | None = None) -> Iterator[shapes.Conversation]:
        """Yield the conversations, latest first."""
        return self._pages("conversations", {"q": q})

    def conversation(self, id: str) -> shapes.Conversation:
        """Return one conversation with its messages."""
        conversation: shapes.Conversation = self._wire.call("GET", f"conversations/{_part(id)}")
        return conversation

    def delete_conversation(self, id: str) -> None:
        """Delete a conversation."""
        self._wire.call("DELETE", f"conversations/{_part(id)}")

    # --- For models -----------------------------------------------------------------------------

    def tools(self) -> list[dict[str, Any]]:
        """Return the function tools as OpenAI specs."""
        tools: list[dict[str, Any]] = self._wire.call("GET", "tools")["items"]
        return tools

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> shapes.ToolAnswer:
        """Call a tool with the arguments that a model gave."""
        answer: shapes.ToolAnswer = self._wire.call("POST", f"tools/{_part(name)}", arguments)
        return answer

    def xml(self, message: str) -> str:
        """Run the memory tags in a model's text; return the answer as XML."""
        answer: str = self._wire.call("POST", "xml", message)
        return answer

    def _pages(self, path: str, filters: Mapping[str, object] | None = None) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            query = {**(filters or {}), "limit": _PAGE, "cursor": cursor}
            page = self._wire.call("GET", path, query=query)
            yield from page["items"]
            cursor = page["next"]
            if cursor is None:
                return
