"""How long something will take, in words."""

from datetime import timedelta
from math import ceil

from django.utils.translation import gettext, ngettext


def about(left: timedelta) -> str:
    """A rough length of time: nobody trusts an estimate to the second."""
    seconds = left.total_seconds()
    if seconds < 60:
        return gettext("less than a minute")
    if seconds < 5400:
        minutes = ceil(seconds / 60)
        return ngettext("about %(n)d minute", "about %(n)d minutes", minutes) % {"n": minutes}
    hours = round(seconds / 3600)
    return ngettext("about %(n)d hour", "about %(n)d hours", hours) % {"n": hours}
