"""Execution of a message's requests, and the answer as XML.

All writes run in one transaction, all or none. Then queries run, so that they see the memories
saved by the same message. The answers have the order of the tags.

Tags are a model's words: they pass memory.tools.write_guard. Suspicious memories are sent to
review, and their answers say so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, tostring  # noqa: S405 - written, not read

from django.db import transaction

from memory.actors import Actor
from memory.drafts import MemoryDraft
from memory.models import Memory, Space, Status
from memory.recall.recall import Recall, recall
from memory.retention.recycle_bin import delete_memory
from memory.review.services import hold_memory
from memory.store.services import Prepared, prepare_memories, store_memories
from memory.tools import write_guard
from memory.xml.reading import Delete, Load, Request, Save

_Waiting = tuple[Prepared, str]
"""A draft to send to review, and the reason."""

# Characters that XML 1.0 excludes (section 2.2), even as a reference.
_UNSPEAKABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def answer(*, space: Space, requests: Sequence[Request], actor: Actor, now: datetime) -> str:
    """Execute the requests and return the XML: the answer's element, or `memory_answers` with all
    of them for several requests.

    Raises NotFound for an id that is not in the space; then nothing was written.
    """
    drafts = [_masked(space, one.draft) for one in requests if isinstance(one, Save)]
    free, waiting = _screened(space, drafts, now)
    with transaction.atomic():
        saved = iter(_save(free, waiting, actor, now))
        for request in requests:
            if isinstance(request, Delete):
                delete_memory(space=space, memory_id=request.memory_id, actor=actor, now=now)
    elements = []
    for request in requests:
        match request:
            case Save():
                elements.append(_memory_saved(next(saved)))
            case Delete(memory_id):
                elements.append(Element("memory_deleted", id=str(memory_id)))
            case Load(query, limit, sort):
                found = recall(space=space, query=query, limit=limit, profile=sort, now=now)
                elements.append(_memories(found))
    return tostring(_together(elements), encoding="unicode")


def _masked(space: Space, draft: MemoryDraft) -> MemoryDraft:
    [content] = write_guard.masked(space, [draft.content])
    return draft.model_copy(update={"content": content})


def _screened(
    space: Space, drafts: Sequence[MemoryDraft], now: datetime
) -> tuple[Prepared, list[_Waiting | None]]:
    """Return the drafts to store directly, and for each draft None or the reason for its review."""
    reasons = [write_guard.held_because(space, draft.content) for draft in drafts]
    free = [draft for draft, reason in zip(drafts, reasons, strict=True) if reason is None]
    waiting = [
        None if reason is None else (prepare_memories(space=space, drafts=[draft], now=now), reason)
        for draft, reason in zip(drafts, reasons, strict=True)
    ]
    return prepare_memories(space=space, drafts=free, now=now), waiting


def _save(
    free: Prepared, waiting: Sequence[_Waiting | None], actor: Actor, now: datetime
) -> list[Memory]:
    """Return the memory of each draft, in the order of the tags."""
    held = [
        one and hold_memory(prepared=one[0], reason=one[1], actor=actor, now=now) for one in waiting
    ]
    stored = iter(store_memories(prepared=free, actor=actor, now=now))
    return [memory or next(stored) for memory in held]


def _memory_saved(memory: Memory) -> Element:
    """Return `<memory_saved>`, with a status if the memory is not live: it waits for review, or a
    person has rejected it before."""
    element = Element("memory_saved", id=str(memory.pk))
    if memory.status != Status.LIVE:
        element.set("status", memory.status)
    return element


def _memories(found: Recall) -> Element:
    """Return `<memories>` with one `<memory>` for each result, best first."""
    memories = Element("memories")
    for result in found.results:
        memory = result.memory
        SubElement(
            memories,
            "memory",
            id=str(memory.pk),
            date=memory.created_at.isoformat(),
            importance=f"{memory.importance:g}",
            similarity=f"{result.similarity:.4f}",
            score=f"{result.score:.4f}",
        ).text = _UNSPEAKABLE.sub("\ufffd", memory.content)
    return memories


def _together(elements: Sequence[Element]) -> Element:
    if len(elements) == 1:
        return elements[0]
    root = Element("memory_answers")
    root.extend(elements)
    return root
