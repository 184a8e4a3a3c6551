"""Ebb's JSON API, a method for each call. What they do is described in docs/api.md."""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Unpack
from urllib.parse import quote
from uuid import uuid4

from ebb_client import shapes
from ebb_client.wire import Event, Wire

_PAGE = 200
_part = partial(quote, safe="")  # of a path


class Ebb:
    """A space of memories. `url` and `key` default to EBB_URL and EBB_KEY.

    `timeout` in seconds, for each answer and each pause within one; `retries` of what may be sent
    twice. Every method raises EbbError.
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
        """Keeps one thing. Of calls with the same `idempotency_key` only the first does."""
        body = {"content": content, "on_duplicate": on_duplicate, **options}
        key = idempotency_key or uuid4().hex
        memory: shapes.Memory = self._wire.call("POST", "memories", body, idempotency_key=key)
        return memory

    def remember_all(
        self, drafts: Sequence[shapes.MemoryDraft], *, idempotency_key: str | None = None
    ) -> list[shapes.Memory]:
        """Keeps up to a thousand things, all or none, and once by each `idempotency_key`."""
        key = idempotency_key or uuid4().hex
        body = {"items": list(drafts)}
        made = self._wire.call("POST", "memories/batch", body, idempotency_key=key)
        memories: list[shapes.Memory] = made["items"]
        return memories

    def search(self, query: str, **options: Unpack[shapes.SearchOptions]) -> shapes.Search:
        """What fits a question, best first."""
        body = {"query": query, **options}
        found: shapes.Search = self._wire.call("POST", "memories/search", body, twice=True)
        return found

    def memories(self, **filters: Unpack[shapes.MemoryFilters]) -> Iterator[shapes.Memory]:
        """All memories that the filters leave, page after page."""
        return self._pages("memories", filters)

    def memory(self, id: str) -> shapes.Memory:
        """One memory, by whole or short id."""
        memory: shapes.Memory = self._wire.call("GET", f"memories/{_part(id)}")
        return memory

    def revise(self, id: str, **changes: Unpack[shapes.MemoryChanges]) -> shapes.Memory:
        """Changes a memory; what it said before is kept."""
        memory: shapes.Memory = self._wire.call("PATCH", f"memories/{_part(id)}", changes)
        return memory

    def revisions(self, id: str) -> list[shapes.Revision]:
        """What a memory said before, newest first."""
        return list(self._pages(f"memories/{_part(id)}/revisions"))

    def revert(self, id: str, revision: int) -> shapes.Memory:
        """Makes a memory say again what it said in a past revision."""
        body = {"revision": revision}
        memory: shapes.Memory = self._wire.call("POST", f"memories/{_part(id)}/revert", body)
        return memory

    def forget(self, id: str) -> shapes.Memory:
        """Lets a memory go into the recycle bin."""
        memory: shapes.Memory = self._wire.call("DELETE", f"memories/{_part(id)}")
        return memory

    # --- The recycle bin, what waits for a person, the history ----------------------------------

    def recycle_bin(self) -> Iterator[shapes.BinnedMemory]:
        """What was let go, the latest first."""
        return self._pages("recycle-bin")

    def restore(self, *ids: str) -> list[shapes.Memory]:
        """Takes memories back from the bin, all or none."""
        restored = self._wire.call("POST", "recycle-bin/restore", {"ids": list(ids)})
        memories: list[shapes.Memory] = restored["items"]
        return memories

    def purge(self, id: str) -> None:
        """Deletes a binned memory for good."""
        self._wire.call("DELETE", f"recycle-bin/{_part(id)}")

    def review(self) -> Iterator[shapes.HeldMemory]:
        """What waits for a person, the newest first."""
        return self._pages("review")

    def approve(self, id: str) -> shapes.HeldMemory:
        """Lets a held memory in; gives the memory that holds it now, which may be an older one."""
        memory: shapes.HeldMemory = self._wire.call("POST", f"memories/{_part(id)}/approve")
        return memory

    def reject(self, id: str) -> shapes.HeldMemory:
        """Turns a held memory away, into the bin."""
        memory: shapes.HeldMemory = self._wire.call("POST", f"memories/{_part(id)}/reject")
        return memory

    def history(
        self,
        *,
        action: str | None = None,
        memory_id: str | None = None,
        since: str | None = None,
    ) -> Iterator[shapes.HistoryEvent]:
        """What happened, the latest first."""
        filters = {"action": action, "memory_id": memory_id, "since": since}
        return self._pages("history", filters)

    # --- Rules ----------------------------------------------------------------------------------

    def policy(self) -> dict[str, Any]:
        """The rules of the space."""
        policy: dict[str, Any] = self._wire.call("GET", "policy")
        return policy

    def change_policy(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Changes some rules; what is left out stays."""
        policy: dict[str, Any] = self._wire.call("PATCH", "policy", changes)
        return policy

    def preview_policy(
        self, changes: Mapping[str, Any], *, queries: Sequence[str] = (), as_of: str | None = None
    ) -> dict[str, Any]:
        """What other rules would do; changes nothing."""
        body = {"changes": changes, "queries": list(queries), "as_of": as_of}
        preview: dict[str, Any] = self._wire.call("POST", "policy/preview", body, twice=True)
        return preview

    def sweep(self) -> shapes.Swept:
        """Lets go now what has expired or is over capacity."""
        swept: shapes.Swept = self._wire.call("POST", "sweep", twice=True)
        return swept

    def profiles(self) -> list[dict[str, Any]]:
        """The ways to rank."""
        profiles: list[dict[str, Any]] = self._wire.call("GET", "profiles")["items"]
        return profiles

    # --- Judging --------------------------------------------------------------------------------

    def assess(
        self,
        user_message: str,
        assistant_response: str = "",
        *,
        store: bool = False,
        **options: Unpack[shapes.ExchangeOptions],
    ) -> shapes.Judged:
        """Judges an exchange and waits for it; keeps it if `store` says so."""
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
        """Hands an exchange over, to be judged and kept in the background."""
        body = {"user_message": user_message, "assistant_response": assistant_response, **options}
        key = idempotency_key or uuid4().hex
        queued: shapes.Queued = self._wire.call("POST", "assessments", body, idempotency_key=key)
        return queued

    def assessment(self, id: str) -> shapes.Assessment:
        """How far an assessment is, and what was judged."""
        assessment: shapes.Assessment = self._wire.call("GET", f"assessments/{_part(id)}")
        return assessment

    def assessments(self, *, status: str | None = None) -> Iterator[shapes.Assessment]:
        """All assessments, newest first."""
        return self._pages("assessments", {"status": status})

    def retry_assessment(self, id: str) -> shapes.Queued:
        """Tries a failed one again."""
        queued: shapes.Queued = self._wire.call("POST", f"assessments/{_part(id)}/retry")
        return queued

    # --- Conversation ---------------------------------------------------------------------------

    def chat(self, message: str, **options: Unpack[shapes.ChatOptions]) -> shapes.Reply:
        """Says something and waits for the whole reply."""
        reply: shapes.Reply = self._wire.call("POST", "chat", {"message": message, **options})
        return reply

    def stream_chat(self, message: str, **options: Unpack[shapes.ChatOptions]) -> Iterator[Event]:
        """The same as events while it happens: `recalled`, `token` (`data["text"]`), `done`."""
        return self._wire.stream("chat", {"message": message, "stream": True, **options})

    def conversations(self, *, q: str | None = None) -> Iterator[shapes.Conversation]:
        """The conversations, the one spoken in last first."""
        return self._pages("conversations", {"q": q})

    def conversation(self, id: str) -> shapes.Conversation:
        """One conversation with its messages."""
        conversation: shapes.Conversation = self._wire.call("GET", f"conversations/{_part(id)}")
        return conversation

    def delete_conversation(self, id: str) -> None:
        """Takes a conversation off the list."""
        self._wire.call("DELETE", f"conversations/{_part(id)}")

    # --- For models -----------------------------------------------------------------------------

    def tools(self) -> list[dict[str, Any]]:
        """The function tools as OpenAI specs."""
        tools: list[dict[str, Any]] = self._wire.call("GET", "tools")["items"]
        return tools

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> shapes.ToolAnswer:
        """Calls a tool with the arguments that a model gave."""
        answer: shapes.ToolAnswer = self._wire.call("POST", f"tools/{_part(name)}", arguments)
        return answer

    def xml(self, message: str) -> str:
        """Does what the tags in a model's text ask for; answers XML."""
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
