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
    "hybrid": _("words and meaning, with a little recency and importance"),
    "similar_recent": _("meaning, and how recent it is"),
    "typed": _("meaning, and how important it is"),
    "vivid": _("the closest three in meaning among what matters most"),
    "combined": _("meaning, with a little recency and importance"),
    "relevance": _("meaning alone"),
    "date": _("the newest, whatever is asked"),
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
        _("Its language, how much there may be, how long what was let go can be taken back."),
    ),
    "ttl": GroupLabels(
        _("Lifetimes"),
        _("How long a memory stays, by its importance. Days may be fractions."),
        _("These three have to fall: for good, then medium, then low importance."),
    ),
    "decay": GroupLabels(
        _("Fading"),
        _("How importance fades while a memory is not used. The least important now go first."),
    ),
    "recall": GroupLabels(
        _("Recall"),
        _("How memories are found, and how many reach the model."),
        _("There is no such profile."),
    ),
    "assessment": GroupLabels(
        _("Assessment"),
        _("Who judges what was said, when, and what is kept of it."),
    ),
}
"""Labels by the path of the part; "" is the part of the top-level settings."""

_DAYS, _HOURS = _("days"), _("hours")

LABELS: Final = {
    "language": Labels(
        _("Language"),
        _("Two letters, as en, de or zh: whose words the search knows. A change indexes all anew."),
    ),
    "capacity": Labels(
        _("Capacity"),
        _("Above this many memories, the least important now are let go."),
        _MEMORIES,
    ),
    "grace_hours": Labels(
        _("Grace"), _("So long a new memory is spared when there are too many."), _HOURS
    ),
    "bin_days": Labels(
        _("Bin"), _("So long what was let go can be taken back; then it is gone for good."), _DAYS
    ),
    "ttl.permanent_threshold": Labels(
        _("For good from"), _("From this importance on a memory never expires.")
    ),
    "ttl.medium_threshold": Labels(
        _("Medium from"), _("Below “for good”, and from this importance on.")
    ),
    "ttl.low_threshold": Labels(
        _("Low from"), _("Below medium, and from here on; what weighs less is very low.")
    ),
    "ttl.medium_days": Labels(_("Medium stays"), _("Unless it is used meanwhile."), _DAYS),
    "ttl.low_days": Labels(_("Low stays"), _("Unless it is used meanwhile."), _DAYS),
    "ttl.very_low_days": Labels(_("Very low stays"), _("With 0 it goes at the next sweep."), _DAYS),
    "ttl.renew_on_use": Labels(
        _("Use renews"), _("A memory that helped to answer begins its lifetime anew.")
    ),
    "decay.floor": Labels(
        _("Never fades below"),
        _("The part of its importance that a memory keeps for ever, 0 to 1."),
    ),
    "decay.scale_days": Labels(
        _("Pace"), _("After so long without use, about a third of what can fade is left."), _DAYS
    ),
    "recall.profile": Labels(
        _("Ranking"), _("What decides the order of what is found."), choices=PROFILE_MEANINGS
    ),
    "recall.limit": Labels(
        _("At most"), _("So many memories are put before the model."), _MEMORIES
    ),
    "recall.candidate_limit": Labels(
        _("Looked at"),
        _("In a large space so many likely ones are scored. More is slower."),
        _MEMORIES,
    ),
    "recall.recency_scale_days": Labels(
        _("Recent means"), _("The smaller, the more the newest are preferred."), _DAYS
    ),
    "recall.min_score": Labels(
        _("Score of at least"), _("What fits less is not put before the model. 0 takes all.")
    ),
    "recall.form": Labels(
        _("Form"),
        _("How memories are written for the model."),
        choices={
            "auto": _("as the profile has it"),
            "list": _("a list with day, match and id"),
            "summaries": _("summaries with their age in words"),
        },
    ),
    "assessment.enabled": Labels(
        _("Learn from conversations"), _("What is said is judged, and kept if it matters.")
    ),
    "assessment.provider": Labels(
        _("Judge"),
        _("Who judges what was said."),
        choices={
            "auto": _("a language model where one is connected, else the built-in judge"),
            "llm": _("a language model"),
            "local": _("the built-in judge"),
            "cascade": _("the built-in judge, and a language model in doubt"),
        },
    ),
    "assessment.rubric": Labels(
        _("Rubric"),
        _("How importance is found."),
        choices={
            "graded": _("one grade, 0 to 1"),
            "facets": _("several facets, from which it is computed"),
        },
    ),
    "assessment.trigger": Labels(
        _("When"),
        _("What is judged at once."),
        choices={
            "every_exchange": _("each exchange by itself"),
            "topic_change": _("all that was said on a topic"),
        },
    ),
    "assessment.idle_minutes": Labels(
        _("A topic ends after"), _("Silence for so long, if topics are judged."), _("minutes")
    ),
    "assessment.timeout_seconds": Labels(
        _("Wait for the model"), _("Longer than this is tried again later."), _("seconds")
    ),
    "assessment.store_above": Labels(
        _("Keep from"), _("What is judged less important is not kept.")
    ),
    "assessment.review": Labels(
        _("Hold what looks like an attack"),
        _("What tries to steer the judge or to plant instructions waits in the review."),
    ),
    "assessment.review_below_confidence": Labels(
        _("Hold what a judge is unsure of"),
        _("Below this confidence, 0 to 1, it waits in the review. 0 holds nothing."),
    ),
    "assessment.hold_conflicts": Labels(
        _("Hold contradictions"),
        _("What would replace or patch a memory waits in the review, with what would change."),
    ),
    "assessment.mask_secrets": Labels(
        _("Mask secrets"), _("Keys, passwords and card numbers are never stored.")
    ),
}
