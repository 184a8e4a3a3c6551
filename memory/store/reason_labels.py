"""Stored reasons, and how well a hit matched, in the reader's language.

Both are kept as one English line, and the API answers it so. A page says the parts that Ebb
wrote in the reader's words; what somebody said, wrote or was called stays as it is, and so does a
reason that Ebb does not know. A test holds the findings against those of assessor.screening.
"""

import re
from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from memory.models import BinReason
from memory.models.review_reasons import QUOTE_BEGINS

# {said} is what Ebb did not write.
_REASONS: Final = (
    _("conversation {said}"),
    _("reverted to revision {said}"),
    _("not relevant to “{said}”"),
    _("relevant to “{said}” after all"),
    _("replaced by: {said}"),
    _("said again: {said}"),
    _("known already: {said}"),
    _("added to what was known: {said}"),
    _("proposed again: {said}"),
    _("an approval was taken back"),
    _("corrected in review"),
    _("corrected where it was learned"),
    _("discarded where it was learned"),
    _("changed in the administration"),
    _("judged with its exchange"),
    _("What it was learned from has been said anew."),
    _("What had superseded it is back."),
    _("Its conversation was deleted before it was judged."),
    _("Learning from conversations was turned off before it was judged."),
    _("imported"),
    _("undone"),
    _("{said}% match"),
)
_PATTERNS: Final = [
    (re.compile(re.escape(reason).replace(r"\{said\}", "(?P<said>.*)"), re.DOTALL), reason)
    for reason in _REASONS
]
FINDINGS: Final = frozenset(
    (
        _("In the user's message"),
        _("In text the user showed"),
        _("In the assistant's reply"),
        _("In the context"),
        _("In the summary"),
        _("dictates what to remember of the user"),
        _("gives the judge's answer itself"),
        _("overrides instructions"),
        _("plants an instruction for later"),
        _("puts words into the assistant's mouth"),
        _("sends the user's data away"),
        _("sets its own importance"),
        _("sets its own lifetime"),
        _("speaks as the system"),
        _("speaks to the assistant"),
        _("speaks to the machine that reads it"),
        _("tells the assistant to keep something from the user"),
        _("tells the judge what it is"),
        _("vouches for somebody"),
        _("The judge was not sure"),
        _("It contradicts what is known"),
    )
)
"""The parts of a finding (where the words stand, and what they do), and the other kinds."""


def in_words(reason: str) -> str:
    """Return a reason, or its kind (models.review_reasons), in the reader's language."""
    if reason in BinReason:
        return str(BinReason(reason).label)
    for pattern, known in _PATTERNS:
        if found := pattern.fullmatch(reason):
            return gettext(known).format(**found.groupdict())
    kind, begins, quote = reason.partition(QUOTE_BEGINS)
    parts = [gettext(part) if part in FINDINGS else part for part in kind.split(": ")]
    return ": ".join(parts) + begins + quote
