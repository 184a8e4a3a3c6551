"""Labels of a space's policy: one entry for each field of memory/policy.py, by its path.

A test compares the two, so that a new field needs labels.
"""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memory.policies.label_types import GroupLabels, Labels
from memory.policies.languages import LANGUAGES
from memory.policies.profiles import PROFILE_CHOICES, PROFILE_NAMES

_MEMORIES: Final = pgettext_lazy("after a number", "memories")

GROUPS: Final = {
    "": GroupLabels(
        _("General"),
        _("Language, number of memories, and time in the bin."),
    ),
    "ttl": GroupLabels(
        _("Lifetimes"),
        _("How long a memory is kept, by importance. Fractions of a day are allowed."),
        _("Thresholds must decrease: keep forever, then medium, then low."),
    ),
    "decay": GroupLabels(
        _("Fading"),
        _("How importance fades while a memory is not used."),
    ),
    "importance": GroupLabels(
        _("Learning"),
        _("How use and your decisions change the order of memories."),
    ),
    "recall": GroupLabels(
        _("Recall"),
        _("How memories are found, and how many are sent to the model."),
        _("Choose one of the listed profiles."),
    ),
    "assessment": GroupLabels(
        _("Assessment"),
        _("Which assessor is used, when, and what is saved."),
    ),
    "consolidation": GroupLabels(
        _("Consolidation"),
        _(
            "Merge memories that say the same thing, and summarise small ones. "
            "You can undo each run."
        ),
    ),
}
"""Labels by the path of the part; "" is the part of the top-level settings."""

_DAYS, _HOURS = (_("days"), _("day")), (_("hours"), _("hour"))
_IMPORTANCE, _CONFIDENCE = _("importance"), _("confidence")

LABELS: Final = {
    "language": Labels(
        _("Language"),
        _("Language used for keyword search. Changing it rebuilds the index."),
        choices=LANGUAGES,
    ),
    "capacity": Labels(
        _("Capacity"),
        _("When exceeded, the least important memories are removed."),
        _MEMORIES,
    ),
    "grace_hours": Labels(
        _("Grace period"),
        _("In a full space, a new memory counts as the most important of its tier for this long."),
        *_HOURS,
    ),
    "bin_days": Labels(
        _("Time in the bin"), _("Deleted memories can be restored for this long."), *_DAYS
    ),
    "ttl.permanent_threshold": Labels(
        _("Keep forever at or above"),
        _("Memories of this importance or more never expire."),
        _IMPORTANCE,
    ),
    "ttl.medium_threshold": Labels(
        _("Medium at or above"), _("From this importance up to “keep forever”."), _IMPORTANCE
    ),
    "ttl.low_threshold": Labels(
        _("Low at or above"),
        _("From this importance up to medium. Anything lower is very low."),
        _IMPORTANCE,
    ),
    "ttl.medium_days": Labels(_("Medium-importance lifetime"), _("Restarted on use."), *_DAYS),
    "ttl.low_days": Labels(_("Low-importance lifetime"), _("Restarted on use."), *_DAYS),
    "ttl.very_low_days": Labels(
        _("Very-low-importance lifetime"), _("0 = removed at the next cleanup."), *_DAYS
    ),
    "ttl.renew_on_use": Labels(
        _("Restart lifetime on use"), _("A memory that was used in a reply starts a new lifetime.")
    ),
    "ttl.by_persistence": Labels(
        _("Lifetime by persistence (P)"),
        _(
            "P decides how long a memory with facets is kept: a lasting trait (1) forever, a plan "
            "(0.5) for the medium lifetime, everyday life (0.1) for the very low one. If off, "
            "importance decides."
        ),
    ),
    "ttl.permanent_persistence": Labels(
        _("Keep forever at or above P"),
        _("Memories with facets and at least this P never expire."),
        "P",
    ),
    "ttl.renew_when": Labels(
        _("A memory counts as used"),
        _("Decides when a lifetime restarts."),
        choices={
            "supported": _("if the answer quotes, names or paraphrases it"),
            "sent": _("whenever it is sent to the model"),
        },
    ),
    "decay.floor": Labels(
        _("Fade floor"),
        _("The share of importance that never fades, 0.8 to 1."),
        _("of importance"),
    ),
    "decay.scale_days": Labels(
        _("Fade time"),
        _("After this long without use, importance has lost about two thirds of what it can lose."),
        *_DAYS,
    ),
    "importance.learn": Labels(
        _("Learn importance from use"),
        _(
            "Memories that answers use or people confirm gain up to 0.15 importance when memories "
            "are ranked or removed. Those that go unused or are rejected lose up to 0.15. "
            "Lifetimes do not change."
        ),
    ),
    "recall.profile": Labels(
        _("Ranking"),
        _("How found memories are ordered."),
        choices=PROFILE_CHOICES,
        names=PROFILE_NAMES,
    ),
    "recall.limit": Labels(
        _("Memories per reply"),
        _("At most this many memories are sent to the model with one message."),
        _MEMORIES,
    ),
    "recall.candidate_limit": Labels(
        _("Candidates"),
        _("In a large space, this many likely memories are scored. More is slower."),
        _MEMORIES,
    ),
    "recall.recency_scale_days": Labels(
        _("Recency window"), _("Smaller values favour newer memories."), *_DAYS
    ),
    "recall.min_score": Labels(
        _("Minimum score"),
        _("Memories with a lower score are not sent to the model. 0 sends all."),
        _("score"),
    ),
    "recall.min_relevance": Labels(
        _("Minimum relevance"),
        _(
            "Memories less likely to help than this (0 to 1) are not sent to the model. "
            "Raise it if Ebb recalls too much. 0 sends all."
        ),
        _("relevance"),
    ),
    "recall.standing": Labels(
        _("Standing rules"),
        _(
            "At most this many memories about how to answer, such as “Keep answers short”, are "
            "sent with every message of the person who said them. 0 sends none."
        ),
        _MEMORIES,
    ),
    "recall.answering": Labels(
        _("How to answer everyone"),
        _("Sent with every message of everyone, such as “Answer in Portuguese”."),
    ),
    "recall.form": Labels(
        _("Prompt format"),
        _("How memories are written in the prompt."),
        choices={
            "auto": _("set by the profile"),
            "list": _("a list with date, match and ID"),
            "summaries": _("summaries with their age in words"),
        },
    ),
    "recall.relative_dates": Labels(
        _("Show ages"),
        _("Prompts and tool answers say how old a memory is, such as “3 days ago”."),
    ),
    "assessment.enabled": Labels(
        _("Learn from conversations"), _("Messages are assessed, and saved if they matter.")
    ),
    "assessment.provider": Labels(
        _("Assessor"),
        _("Decides what is saved and how important it is."),
        choices={
            "auto": _("a language model if one is connected, otherwise the built-in assessor"),
            "llm": _("a language model"),
            "local": _("the built-in assessor"),
            "cascade": _("the built-in assessor, and a language model when it is unsure"),
        },
    ),
    "assessment.rubric": Labels(
        _("Rubric"),
        _("The built-in assessor uses one score instead of facts."),
        choices={
            "facts": _("the facts, in the user's words; for any model, also a small one"),
            "graded": _("one score, 0 to 1"),
            "facets": _("several facets, combined by a formula"),
        },
    ),
    "assessment.facts": Labels(
        _("Save facts"),
        _("Whether the facts of a message become one memory."),
        choices={
            "separate": _("each as a memory of its own"),
            "one": _("all of a message as one memory"),
        },
    ),
    "assessment.trigger": Labels(
        _("Assess"),
        _("How much is assessed at a time."),
        choices={
            "every_exchange": _("each message and reply"),
            "topic_change": _("a whole topic"),
        },
    ),
    "assessment.idle_minutes": Labels(
        _("Topic timeout"),
        _("A topic ends after this much silence, if topics are assessed."),
        _("minutes"),
    ),
    "assessment.timeout_seconds": Labels(
        _("Model timeout"),
        _("For the first attempt. Each further attempt waits three times as long."),
        _("seconds"),
    ),
    "assessment.max_wait_seconds": Labels(
        _("Longest model timeout"), _("No attempt waits longer than this."), _("seconds")
    ),
    "assessment.fallback": Labels(
        _("Fall back to the built-in assessor"),
        _("Assesses messages when the model does not answer. If off, they fail until retried."),
    ),
    "assessment.store_above": Labels(
        _("Minimum importance to save"),
        _(
            "Less important messages are not saved, so they have no lifetime. Memories from tools, "
            "the API and imports are saved at any importance."
        ),
        _IMPORTANCE,
    ),
    "assessment.review": Labels(
        _("Send suspected attacks to review"),
        _("Attempts to steer the assessor or plant instructions wait for approval."),
    ),
    "assessment.review_below_confidence": Labels(
        _("Send low confidence to review"),
        _("Memories below this confidence, 0 to 1, wait for approval. 0 turns this off."),
        _CONFIDENCE,
    ),
    "assessment.hold_conflicts": Labels(
        _("Send contradictions to review"),
        _("Changes that replace or patch a memory wait for approval, shown side by side."),
    ),
    "assessment.mask_secrets": Labels(
        _("Mask secrets"),
        _("Mask passwords, keys and card numbers in memories. The conversation still shows them."),
    ),
    "consolidation.mode": Labels(
        _("Every night"),
        _("Pinned and core memories are never consolidated."),
        choices={
            "off": _("do nothing"),
            "propose": _("propose changes for review"),
            "automatic": _("apply confident changes, propose the others"),
        },
    ),
    "consolidation.min_confidence": Labels(
        _("Minimum confidence to apply"),
        _("From 0 to 1. Changes below it wait for review. Used only when changes are applied."),
        _CONFIDENCE,
    ),
    "consolidation.model_calls": Labels(
        _("Summaries by the model"),
        _("Limit for one run. With 0, Ebb writes all summaries itself, at no cost."),
        _("summaries"),
    ),
}
