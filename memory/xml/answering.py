"""Doing what a message's tags ask for, and the answer as XML.

What is written is written in one transaction, all or nothing; then what is loaded is looked up, so
that it sees what the message saved. The answers stand in the order of the tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, tostring  # noqa: S405 - written, not read

from django.db import transaction

from memory.actors import Actor
from memory.models import Space
from memory.recall import Recall, recall
from memory.services.memories import prepare_memories, store_memories
from memory.services.recycle_bin import delete_memory
from memory.xml.reading import Delete, Load, Request, Save

# What XML 1.0 cannot hold (section 2.2), not even as a reference.
_UNSPEAKABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def answer(*, space: Space, requests: Sequence[Request], actor: Actor, now: datetime) -> str:
    """The XML: the answer's element, or for several requests all of them in `memory_answers`.

    Raises NotFound for an id that is not in the space; then nothing was written.
    """
    saves = [request for request in requests if isinstance(request, Save)]
    drafts = [save.draft for save in saves]
    prepared = prepare_memories(space=space, drafts=drafts, now=now) if drafts else None
    with transaction.atomic():
        stored = store_memories(prepared=prepared, actor=actor, now=now) if prepared else []
        for request in requests:
            if isinstance(request, Delete):
                delete_memory(space=space, memory_id=request.memory_id, actor=actor, now=now)
    ids = iter(memory.pk for memory in stored)
    elements = []
    for request in requests:
        match request:
            case Save():
                elements.append(Element("memory_saved", id=str(next(ids))))
            case Delete(memory_id):
                elements.append(Element("memory_deleted", id=str(memory_id)))
            case Load(query, limit, sort):
                found = recall(space=space, query=query, limit=limit, profile=sort, now=now)
                elements.append(_memories(found))
    return tostring(_together(elements), encoding="unicode")


def _memories(found: Recall) -> Element:
    """`<memories>` with one `<memory>` a result, best first."""
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
