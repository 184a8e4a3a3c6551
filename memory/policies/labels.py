"""Labels of a space's policy: one entry for each field of memory/policy.py, by its path.

A test compares the two, so that a new field needs labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

_MEMORIES: Final = pgettext_lazy("after a number", "memories")

PROFILE_MEANINGS: Final = {
    "hybrid": _("keywords and meaning, with a little recency and importance"),
    "similar_recent": _("meaning and recency"),
    "typed": _("meaning and importance"),
    "vivid": _("the three closest in meaning among the most important"),
    "combined": _("meaning, with a little recency and importance"),
    "relevance": _("meaning only"),
    "date": _("newest first, whatever the question"),
}
"""The signals that each ranking profile uses."""


@dataclass(frozen=True)
class Labels:
    """A setting for display: its name, help text and unit, and the meaning of each choice."""

    label: _StrPromise
    hint: _StrPromise
    unit: _StrPromise | str = ""
    choices: Mapping[str, _StrPromise] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupLabels:
    """Settings that belong together; `wrong` is the error if their values conflict."""

    title: _StrPromise
    intro: _StrPromise
    wrong: _StrPromise | str = ""


GROUPS: Final = {
    "": GroupLabels(
        _("Basics"),
        _("Language, number of memories, and time in the bin."),
    ),
    "ttl": GroupLabels(
        _("Lifetimes"),
        _("How long a memory is kept, by importance. Fractions of a day are allowed."),
        _("These three must decrease: keep forever, medium, low."),
    ),
    "decay": GroupLabels(
        _("Fading"),
        _(
            "How importance fades while a memory is not used. The least important "
            "memories are removed first."
        ),
    ),
    "recall": GroupLabels(
        _("Recall"),
        _("How memories are found, and how many are sent to the model."),
        _("There is no such profile."),
    ),
    "assessment": GroupLabels(
        _("Assessment"),
        _("Which assessor is used, when, and what is saved."),
    ),
}
"""Labels by the path of the part; "" is the part of the top-level settings."""

_DAYS, _HOURS = _("days"), _("hours")

LABELS: Final = {
    "language": Labels(
        _("Language"),
        _(
            "Language used for keyword search. Changing it rebuilds the index. Use a "
            "two-letter code such as en, de or zh."
        ),
    ),
    "capacity": Labels(
        _("Capacity"),
        _("When exceeded, the least important memories are removed."),
        _MEMORIES,
    ),
    "grace_hours": Labels(
        _("Grace period"), _("New memories are protected from removal for this long."), _HOURS
    ),
    "bin_days": Labels(
        _("Time in the bin"), _("Deleted memories can be restored for this long."), _DAYS
    ),
    "ttl.permanent_threshold": Labels(
        _("Keep forever at or above"), _("Memories of this importance or more never expire.")
    ),
    "ttl.medium_threshold": Labels(
        _("Medium at or above"), _("Below “keep forever” and at least this.")
    ),
    "ttl.low_threshold": Labels(
        _("Low at or above"), _("Below medium and at least this. Anything lower is very low.")
    ),
    "ttl.medium_days": Labels(_("Medium lifetime"), _("Restarted on use."), _DAYS),
    "ttl.low_days": Labels(_("Low lifetime"), _("Restarted on use."), _DAYS),
    "ttl.very_low_days": Labels(
        _("Very low lifetime"), _("0 = removed at the next cleanup."), _DAYS
    ),
    "ttl.renew_on_use": Labels(
        _("Restart lifetime on use"), _("A memory that was used in a reply starts a new lifetime.")
    ),
    "decay.floor": Labels(
        _("Fade floor"),
        _("The share of importance that never fades, 0 to 1."),
    ),
    "decay.scale_days": Labels(
        _("Fade time"),
        _("About two thirds of what can fade is gone after this time without use."),
        _DAYS,
    ),
    "recall.profile": Labels(
        _("Ranking"), _("How found memories are ordered."), choices=PROFILE_MEANINGS
    ),
    "recall.limit": Labels(
        _("Memories per reply"),
        _("The most memories sent to the model with one message."),
        _MEMORIES,
    ),
    "recall.candidate_limit": Labels(
        _("Candidates"),
        _("In a large space, how many likely memories are scored. More is slower."),
        _MEMORIES,
    ),
    "recall.recency_scale_days": Labels(
        _("Recency window"), _("Smaller values favour newer memories."), _DAYS
    ),
    "recall.min_score": Labels(
        _("Minimum score"), _("Memories with a lower score are not sent to the model. 0 sends all.")
    ),
    "recall.form": Labels(
        _("Prompt format"),
        _("How memories are written in the prompt."),
        choices={
            "auto": _("as the profile says"),
            "list": _("a list with date, match and id"),
            "summaries": _("summaries with their age in words"),
        },
    ),
    "assessment.enabled": Labels(
        _("Learn from conversations"), _("Messages are assessed, and saved if they matter.")
    ),
    "assessment.provider": Labels(
        _("Assessor"),
        _("Which assessor decides."),
        choices={
            "auto": _("a language model if one is connected, otherwise the built-in assessor"),
            "llm": _("a language model"),
            "local": _("the built-in assessor"),
            "cascade": _("the built-in assessor, and a language model when it is unsure"),
        },
    ),
    "assessment.rubric": Labels(
        _("Rubric"),
        _("How importance is found."),
        choices={
            "graded": _("one grade, 0 to 1"),
            "facets": _("several facets, combined by a formula"),
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
        _("Model timeout"), _("Slower answers are retried later."), _("seconds")
    ),
    "assessment.store_above": Labels(
        _("Minimum importance to save"), _("Less important messages are not saved.")
    ),
    "assessment.review": Labels(
        _("Send suspected attacks to review"),
        _("Attempts to steer the assessor or plant instructions wait for approval."),
    ),
    "assessment.review_below_confidence": Labels(
        _("Send low confidence to review"),
        _("Memories below this confidence, 0 to 1, wait for approval. 0 turns this off."),
    ),
    "assessment.hold_conflicts": Labels(
        _("Send contradictions to review"),
        _("Changes that replace or patch a memory wait for approval, shown side by side."),
    ),
    "assessment.mask_secrets": Labels(
        _("Mask secrets"),
        _("Mask passwords, keys and card numbers in memories. The conversation still shows them."),
    ),
}
