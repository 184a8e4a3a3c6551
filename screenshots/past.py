"""Fills the demo space with six weeks of use, so that the pictures show a used Ebb.

The ordinary services write everything, each at its own moment of the past: saved memories, recalled
memories, which live longer, expired ones, and the work of a person.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from accounts.models import Space
from foundation.actors import SYSTEM, Actor
from memory.drafts import MemoryChange, MemoryDraft, MemoryTypeName
from memory.models import Memory
from memory.models.reasons import Reason
from memory.recall.recall import SearchRequest, recall
from memory.retention.recycle_bin import delete_memory
from memory.retention.sweep import sweep
from memory.store.services import create_memories, revise_memory
from memory.store.uses import mark_used
from operations.startup.demo import sample_memories

DAYS = 42

# Remarks in passing. An event or an observation expires after a few days.
_SMALL: dict[MemoryTypeName, tuple[str, ...]] = {
    "observation": (
        "Mara was in a good mood after a calm morning at sea.",
        "Mara drinks green tea when she works late.",
        "Mara mentioned that the printer in the lab jams again.",
        "Mara found the meeting about the budget too long.",
        "Mara reads on the tram, lately a book on octopuses.",
        "Mara says that Mondays are for counting, Tuesdays for writing.",
        "Mara slept badly before the talk.",
        "Mara thinks the new microscope is worth its price.",
        "Mara liked the concert in the old church.",
        "Mara was annoyed by the wind on the pier.",
    ),
    "event": (
        "Theo lost his first tooth at breakfast.",
        "The Calypso's pump failed and was changed within a day.",
        "Mara gave a talk on seagrass at the aquarium.",
        "Ines swam without her arm bands for the first time.",
        "Mara met the reviewers in Porto and ate at the market.",
        "A storm kept the boats in the harbour for two days.",
        "Mara ran ten kilometres along the river.",
        "The lab got forty sediment samples from Faro.",
        "Mara's sister visited for the weekend.",
        "The power was out in the institute for an afternoon.",
    ),
    "todo": (
        "Mara has to renew the children's library cards.",
        "Mara has to order filters for the water samples.",
        "Mara has to book the ferry for the July survey.",
        "Mara has to call the dentist for Theo.",
        "Mara has to write the abstract for the conference.",
        "Mara has to bring the bicycle to the workshop.",
    ),
    "fact": (
        "The survey covers twelve meadows between Sines and Faro.",
        "Mara's sister Clara teaches in Coimbra.",
        "The institute's server room is on the second floor.",
        "Theo's kindergarten closes at five.",
    ),
    "preference": (
        "Mara prefers trains to planes.",
        "Mara likes charts with few colours.",
        "Mara does not like calls before nine.",
    ),
    "goal": (
        "Mara wants to publish the meadow atlas this year.",
        "Mara wants to learn to repair the boat's engine herself.",
    ),
    "decision": (
        "Mara decided to count larvae by image analysis from now on.",
        "Mara decided against the second car.",
    ),
}
_ASKED = ("What is Mara working on?", "How is the running going?", "How are the children?")
_CORRECTED = "Mara ran fourteen kilometres and her knee felt fine."
_REPLY = Actor("assistant", "built-in")


def live_through(space: Space, owner: Actor, now: datetime) -> None:
    """Write the six weeks before `now`, day by day: save, recall, sweep, correct, delete."""
    coming = sorted(
        (
            (draft.created_at or now, draft)
            for draft in (*sample_memories(now), *_small_memories(now))
        ),
        key=lambda one: one[0],
    )
    for day in range(DAYS, -1, -1):
        today = now - timedelta(days=day)
        heard = [draft for at, draft in coming if today - timedelta(days=1) < at <= today]
        if heard:
            create_memories(space=space, drafts=heard, actor=SYSTEM, now=today)
        if day % 3 == 0:
            _ask(space, _ASKED[day // 3 % len(_ASKED)], today)
        sweep(space=space, now=today)
    _steer(space, owner, now)


def _small_memories(now: datetime) -> Iterator[MemoryDraft]:
    """Yield the remarks, spread evenly over the days with mixed types."""
    said = [(kind, text) for kind, texts in _SMALL.items() for text in texts]
    for place, (kind, text) in enumerate(said):
        days = (place * 17 % len(said) + 0.4) * DAYS / len(said)
        yield MemoryDraft(content=text, memory_type=kind, created_at=now - timedelta(days=days))


def _ask(space: Space, question: str, now: datetime) -> None:
    found = recall(space, SearchRequest(question, limit=4, min_relevance=None), now=now)
    mark_used(
        space=space,
        memory_ids=found.memory_ids,
        supporting=found.memory_ids[:1],
        actor=_REPLY,
        now=now,
        reason=Reason("conversation"),
    )


def _steer(space: Space, owner: Actor, now: datetime) -> None:
    """Pin, correct and delete memories, as a person did in the last days."""
    live = Memory.objects.in_space(space).live()
    for words, change, days in (
        ("marine biologist", MemoryChange(pinned=True), 5),
        ("twelve kilometres", MemoryChange(content=_CORRECTED), 2),
    ):
        memory = live.get(content__contains=words)
        then = now - timedelta(days=days)
        revise_memory(space=space, memory_id=memory.pk, change=change, actor=owner, now=then)
    for days, memory in enumerate(live.filter(memory_type="observation")[:2], 1):
        then = now - timedelta(days=days / 2)
        delete_memory(space=space, memory_id=memory.pk, actor=owner, now=then)
