"""Reasons of events: a code and an argument, translated when a page shows them.

The English sentence is stored beside them, for the API, webhooks and exports. Rows written before
reasons had codes have only the sentence.

The reason of a memory in review is one line: its kind, and optionally the suspicious text in
quotation marks. Standing decisions are stored by kind, so a kind never changes.
"""

import re
from typing import Final

from django.utils.translation import gettext, override
from django.utils.translation import gettext_noop as _

# {said} is the argument: text that Ebb did not write.
REASONS: Final = {
    "conversation": _("conversation {said}"),
    "reverted": _("reverted to revision {said}"),
    "irrelevant": _("not relevant to “{said}”"),
    "relevant_again": _("relevant to “{said}” again"),
    "replaced": _("replaced by: {said}"),
    "consolidated": _("consolidated into: {said}"),
    "inherited": _("importance of the memory it replaced: {said}"),
    "said_again": _("restated: {said}"),
    "known": _("already known: {said}"),
    "added": _("merged into a known memory: {said}"),
    "proposed_again": _("proposed again: {said}"),
    "approval_undone": _("an approval was undone"),
    "corrected_in_review": _("corrected in review"),
    "corrected_at_source": _("corrected in the chat"),
    "discarded_at_source": _("discarded in the chat"),
    "changed_in_admin": _("changed in the admin"),
    "assessed": _("assessed with its message"),
    "source_edited": _("The message it was learned from was edited."),
    "superseder_restored": _("The memory that had replaced it was restored."),
    "conversation_deleted": _("Its conversation was deleted before the assessment."),
    "learning_off": _("Learning from conversations was turned off before the assessment."),
    "request_learning_off": _("The request or its API key turned learning off."),
    "gate_client_task": _("Not assessed: the client marked this as a task of its own."),
    "gate_task_prompt": _("Not assessed: a program wrote this prompt, not a person."),
    "gate_repeated_template": _(
        "Not assessed: a program fills in this text and sends it again and again."
    ),
    "only_asks": _("It only asks for something."),
    "no_fact": _("The language model found nothing to remember."),
    "imported": _("imported"),
    "undone": _("undone"),
    "assessed_again": _("assessed again"),
    "restoration_undone": _("restoring was undone"),
    "counts": _("answers used and not used, confirmations, objections: {said}"),
    "tag_added": _("tag added: {said}"),
    "tag_removed": _("tag removed: {said}"),
    "type_changed": _("type: {said}"),
}

UNSURE: Final = "The judge was not sure"
CONFLICT: Final = "It contradicts what is known"
REPORTED: Final = "Reported as wrong"
FROM_DOCUMENT: Final = "From a document"
FROM_PASTED: Final = "From a pasted text"
# The parts of a kind as stored, and as a page shows them. A finding of assessor.screening names a
# place and what the text in it does.
_PLACES: Final = {
    "In the user's message": _("The user's message"),
    "In the context": _("The context"),
    "In the summary": _("The summary"),
}
_FINDING: Final = _("{place} {does}")
_REPORTED_BY: Final = _("Reported as wrong by {who}")
_KINDS: Final = {
    UNSURE: _("The assessor was not sure"),
    CONFLICT: _("It contradicts a known memory"),
    FROM_DOCUMENT: _("From a document"),
    FROM_PASTED: _("From a pasted text"),
    "reads like an instruction to the assistant": _("reads like an instruction to the assistant"),
}
QUOTE_BEGINS = _(": “")
MAX_QUOTED = 200  # characters
_ENDS = re.compile(r"”(?: \((?P<sure>\d{1,3}%)\))?\Z")


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


WITHOUT_ID = {"conversation": _("in a conversation")}
"""Texts of reasons whose argument is an id, which says nothing to a reader."""


def in_words(reason: str) -> str:
    """Translate the parts of a reason, or of a kind of reason, that Ebb wrote; keep the rest."""
    if isinstance(reason, Reason):
        if reason.code in WITHOUT_ID:
            return gettext(WITHOUT_ID[reason.code])
        return gettext(REASONS[reason.code]).format(said=reason.argument)
    if reason in REASONS.values():
        return gettext(reason)
    kind, begins, quote = reason.partition(QUOTE_BEGINS)
    return _kind_in_words(kind) + (gettext(begins) + quote if begins else "")


def _kind_in_words(kind: str) -> str:
    place, _colon, does = kind.partition(": ")
    if place == REPORTED:
        return gettext(_REPORTED_BY).format(who=does)
    if place not in _PLACES:
        return gettext(_KINDS[kind]) if kind in _KINDS else kind
    does = gettext(_KINDS[does]) if does in _KINDS else does
    return gettext(_FINDING).format(place=gettext(_PLACES[place]), does=does)


def in_english(reason: str) -> str:
    """Return the reason for programs, in the words of the English pages."""
    with override("en"):
        return in_words(reason)


def because(kind: str, quote: str, *, sure: str = "") -> str:
    """Return a reason for review: its kind and, on the same line, the quoted evidence with how sure
    the finding is, such as "91%"."""
    quote = " ".join(quote.split())
    cut = quote if len(quote) <= MAX_QUOTED else f"{quote[:MAX_QUOTED]}…"
    ends = f"” ({sure})" if sure else "”"
    return f"{kind}{QUOTE_BEGINS}{cut}{ends}" if cut else kind


def kind_of(reason: str) -> str:
    """Return the kind of a reason, which similar findings share."""
    return reason.partition(QUOTE_BEGINS)[0]


def quote_of(reason: str) -> str:
    """Return the quoted evidence, possibly shortened; empty if the reason has none."""
    return _ENDS.sub("", reason.partition(QUOTE_BEGINS)[2])


def sureness_of(reason: str) -> str:
    """Return how sure the finding is, such as "91%"; empty if the reason does not say."""
    ends = _ENDS.search(reason)
    return ends["sure"] or "" if ends else ""
