"""Execution of a message's requests, and the answer as XML.

All writes run in one transaction, all or none. Then queries run, so that they see the memories
saved by the same message. The answers have the order of the tags.

Tags are a model's words: they pass memory.tools.write_guard. Suspicious memories are sent to
review, and their answers say so. A saved text is compared with the known memories, like one that a
function tool saves; the answer has the id of the memory that contains it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Element, SubElement, tostring  # noqa: S405 - written, not read

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.readers import Reader
from memory.drafts import MemoryDraft
from memory.models import Memory, Status
from memory.recall.prompt_forms import age_in_words
from memory.recall.recall import Recall, SearchRequest, recall
from memory.references import changeable
from memory.retention.recycle_bin import delete_memory
from memory.tools import write_guard
from memory.tools.saving import Given, Ready, ready, save
from memory.xml.reading import Delete, Load, Request, Save

MAX_ADVISED = 10
"""Maximum number of texts of one message about which a connected model is asked, in a call of some
seconds each. The built-in rule decides about the others.
"""

# Characters that XML 1.0 excludes (section 2.2), even as a reference.
_UNSPEAKABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def answer(
    *, space: Space, reader: Reader, requests: Sequence[Request], actor: Actor, now: datetime
) -> str:
    """Execute the requests and return the XML: the answer's element, or `memory_answers` with all
    of them for several requests.

    Raises NotFound or Forbidden for an id (access.references); then nothing was written.
    """
    owner = {"user_id": reader.user_id}
    saves = [one.draft.model_copy(update=owner) for one in requests if isinstance(one, Save)]
    drafts = [_ready(space, draft, now, place < MAX_ADVISED) for place, draft in enumerate(saves)]
    with transaction.atomic():
        # Deletes run first, so that a text is kept if the message also deletes its old copy.
        for request in requests:
            if isinstance(request, Delete):
                memory = changeable(space, reader, str(request.memory_id))
                delete_memory(space=space, memory_id=memory.pk, actor=actor, now=now)
        saved = iter([save(draft, actor=actor, now=now).memory for draft in drafts])
    elements = []
    for request in requests:
        match request:
            case Save():
                elements.append(_memory_saved(next(saved)))
            case Delete(memory_id):
                elements.append(Element("memory_deleted", id=str(memory_id)))
            case Load(query, limit, sort):
                # Without a minimum relevance: the model asked for this many, in this order.
                search = SearchRequest(query, limit=limit, profile=sort, reader=reader)
                elements.append(_memories(recall(space, search, now=now), now))
    return tostring(_together(elements), encoding="unicode")


def _ready(space: Space, draft: MemoryDraft, now: datetime, asks_model: bool) -> Ready:
    """Return the draft, prepared to be saved: masked, screened and embedded."""
    [content] = write_guard.masked(space, [draft.content])
    masked = draft.model_copy(update={"content": content})
    given = Given("memory_save", importance=draft.importance)
    held = write_guard.review_reason(space, content)
    return ready(space=space, draft=masked, given=given, held=held, now=now, asks_model=asks_model)


def _memory_saved(memory: Memory) -> Element:
    """Return `<memory_saved>` with the time it expires, or "never". A memory that is not live has a
    status instead: it waits for review, or a person has rejected it before."""
    element = Element("memory_saved", id=str(memory.pk))
    if memory.status == Status.LIVE:
        element.set("expires_at", _expires_at(memory))
    else:
        element.set("status", memory.status)
    return element


def _expires_at(memory: Memory) -> str:
    if memory.pinned or memory.expires_at is None:
        return "never"
    return memory.expires_at.isoformat()


def _memories(found: Recall, now: datetime) -> Element:
    """Return `<memories>` with one `<memory>` for each result, best first. With the policy's
    `relative_dates` each has its `age` in words. A memory of an event has its time, and a
    superseded one the moment `until` which it was true."""
    memories, policy = Element("memories"), found.policy.document
    for result in found.results:
        memory = result.memory
        element = SubElement(
            memories,
            "memory",
            id=str(memory.pk),
            date=memory.created_at.isoformat(),
            importance=f"{memory.importance:g}",
            similarity=f"{result.similarity:.4f}",
            score=f"{result.score:.4f}",
        )
        if policy.recall.relative_dates:
            element.set("age", age_in_words(memory.created_at, policy.language, now))
        if memory.event_day:
            element.set("event", memory.event_day)
        if memory.valid_to is not None:
            element.set("until", memory.valid_to.isoformat())
        element.text = _UNSPEAKABLE.sub("\ufffd", memory.content)
    return memories


def _together(elements: Sequence[Element]) -> Element:
    if len(elements) == 1:
        return elements[0]
    root = Element("memory_answers")
    root.extend(elements)
    return root
