"""Reasons of events: a code and an argument, translated when a page shows them.

The English sentence is stored beside them, for the API, webhooks and exports. Rows written before
reasons had codes have only the sentence.

The reason of a memory in review is one line: its kind, and optionally the suspicious text in
quotation marks. Standing decisions are stored by kind, so a kind never changes.
"""

from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

# {said} is the argument: text that Ebb did not write.
REASONS: Final = {
    "conversation": _("conversation {said}"),
    "reverted": _("reverted to revision {said}"),
    "irrelevant": _("not relevant to “{said}”"),
    "relevant_again": _("relevant to “{said}” after all"),
    "replaced": _("replaced by: {said}"),
    "said_again": _("said again: {said}"),
    "known": _("known already: {said}"),
    "added": _("added to what was known: {said}"),
    "proposed_again": _("proposed again: {said}"),
    "approval_undone": _("an approval was taken back"),
    "corrected_in_review": _("corrected in review"),
    "corrected_at_source": _("corrected where it was learned"),
    "discarded_at_source": _("discarded where it was learned"),
    "changed_in_admin": _("changed in the administration"),
    "assessed": _("judged with its exchange"),
    "source_edited": _("What it was learned from has been said anew."),
    "superseder_restored": _("What had superseded it is back."),
    "conversation_deleted": _("Its conversation was deleted before it was judged."),
    "learning_off": _("Learning from conversations was turned off before it was judged."),
    "imported": _("imported"),
    "undone": _("undone"),
    "assessed_again": _("judged again"),
    "restoration_undone": _("taking back was undone"),
    "tag_added": _("tag added: {said}"),
    "tag_removed": _("tag removed: {said}"),
    "type_changed": _("type: {said}"),
}

UNSURE: Final = _("The judge was not sure")
CONFLICT: Final = _("It contradicts what is known")
# The parts of a kind: where the suspicious text is, what it does (assessor.screening), and others.
_KINDS: Final = {
    UNSURE,
    CONFLICT,
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
}
QUOTE_BEGINS = ": “"
MAX_QUOTED = 200  # characters


class Reason(str):
    """A reason with a code; its value as a string is the English sentence."""

    code: str
    argument: str

    def __new__(cls, code: str, argument: object = "") -> "Reason":
        reason = super().__new__(cls, REASONS[code].format(said=argument))
        reason.code, reason.argument = code, str(argument)
        return reason


def columns(reason: str) -> dict[str, str]:
    """Return the stored columns of a reason, by their names."""
    if isinstance(reason, Reason):
        return {"reason": reason, "reason_code": reason.code, "reason_argument": reason.argument}
    return {"reason": reason}


def from_columns(reason: str, code: str, argument: str) -> str:
    """Return the stored reason; without a known code, only its sentence."""
    return Reason(code, argument) if code in REASONS else reason


def in_words(reason: str) -> str:
    """Translate the parts of a reason, or of a kind of reason, that Ebb wrote; keep the rest."""
    if isinstance(reason, Reason):
        return gettext(REASONS[reason.code]).format(said=reason.argument)
    if reason in REASONS.values():
        return gettext(reason)
    kind, begins, quote = reason.partition(QUOTE_BEGINS)
    parts = [gettext(part) if part in _KINDS else part for part in kind.split(": ")]
    return ": ".join(parts) + begins + quote


def because(kind: str, quote: str) -> str:
    """Return a reason for review: its kind and, on the same line, the quoted evidence."""
    quote = " ".join(quote.split())
    cut = quote if len(quote) <= MAX_QUOTED else f"{quote[:MAX_QUOTED]}…"
    return f"{kind}{QUOTE_BEGINS}{cut}”" if cut else kind


def kind_of(reason: str) -> str:
    """Return the kind of a reason, which similar findings share."""
    return reason.partition(QUOTE_BEGINS)[0]


def quote_of(reason: str) -> str:
    """Return the quoted evidence, possibly shortened; empty if the reason has none."""
    return reason.partition(QUOTE_BEGINS)[2].removesuffix("”")
