"""The memory that replaces the sources of a proposal, and the values it takes from them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from accounts.models import Space
from memory.drafts import MAX_TAGS, Facets, MemoryDraft, Source
from memory.models import Memory
from memory.models.learned import COUNTS
from memory.models.policies import Policy

_NAMES = ("agent_id", "session_id")


def draft_of(result: Mapping[str, Any], sources: Sequence[Memory]) -> MemoryDraft:
    """Return the draft of a proposal's result: all tags and topics, the date of the latest source,
    the facets of the most important one, and the names on which all sources agree."""
    leading = max(sources, key=lambda one: one.importance)
    names = {name: _shared(sources, name) for name in _NAMES}
    return MemoryDraft(
        **result,
        facets=Facets.model_validate(leading.facets) if leading.facets else None,
        tags=_union(sources, "tags"),
        topics=_union(sources, "topics"),
        created_at=max(one.said_at for one in sources),
        source=Source(
            role=_shared(sources, "source_role") or "user",
            speaker=_shared(sources, "source_speaker") or "",
            conversation_id=_shared(sources, "source_conversation") or None,
        ),
        user_id=sources[0].user_id,
        metadata=_shared(sources, "metadata") or {},
        **names,
    )


def keep_uses(*, space: Space, memory: Memory, sources: Sequence[Memory], policy: Policy) -> Memory:
    """Give the new memory the uses and the feedback of its sources and the latest of their expiry
    times, because consolidating does not count as use. Return the memory.
    """
    uses = [one.last_active_at for one in sources if one.last_active_at]
    memory.use_count = sum(one.use_count for one in sources)
    memory.last_active_at = max(uses, default=None)
    memory.clock_started_at = max(one.clock_started_at for one in sources)
    memory.expires_at = _expiry(memory, sources, policy)
    Memory.objects.in_space(space).filter(pk=memory.pk).update(
        use_count=memory.use_count,
        last_active_at=memory.last_active_at,
        clock_started_at=memory.clock_started_at,
        expires_at=memory.expires_at,
        **{name: sum(getattr(one, name) for one in sources) for name in COUNTS},
    )
    return memory


def _expiry(memory: Memory, sources: Sequence[Memory], policy: Policy) -> datetime | None:
    """Return the latest expiry: by the new memory's own importance, or that of a source."""
    own = memory.expiry_from(memory.clock_started_at, policy.document.ttl.tiers)
    ends = [own, *(one.expires_at for one in sources)]
    return None if None in ends else max(end for end in ends if end is not None)


def _union(sources: Sequence[Memory], name: str) -> list[str]:
    """Return each tag or topic once, as many as a memory may have."""
    return list(dict.fromkeys(one for source in sources for one in getattr(source, name)))[
        :MAX_TAGS
    ]


def _shared(sources: Sequence[Memory], name: str) -> Any:
    """Return the value that all sources have, or None."""
    first, *others = (getattr(source, name) for source in sources)
    return first if all(one == first for one in others) else None
