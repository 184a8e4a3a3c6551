"""Presets of a policy: a few settings that the form fills in together, for a person to save."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Preset:
    """A preset's name, its effect in a sentence, and its changes to the document."""

    label: str | Promise
    effect: str | Promise
    changes: Mapping[str, Any]


PRESETS: Final = {
    "more": Preset(
        _("Remember more"),
        _("Saves less important messages too, keeps them longer, and recalls more."),
        {
            "capacity": 2000,
            "ttl": {"medium_days": 90.0, "low_days": 30.0, "very_low_days": 7.0},
            "recall": {"limit": 5},
            "assessment": {"store_above": 0.1},
        },
    ),
    "less": Preset(
        _("Remember less"),
        _("Saves only what matters, and forgets the rest sooner."),
        {
            "capacity": 400,
            "ttl": {"medium_days": 14.0, "low_days": 3.0, "very_low_days": 1.0},
            "assessment": {"store_above": 0.4},
        },
    ),
    "short": Preset(
        _("Short-lived"),
        _("Keeps almost everything for days only, for support or temporary work."),
        {
            "bin_days": 7.0,
            "ttl": {
                "permanent_threshold": 0.95,
                "permanent_persistence": 1.0,
                "medium_days": 7.0,
                "low_days": 2.0,
                "very_low_days": 0.5,
            },
        },
    ),
}
