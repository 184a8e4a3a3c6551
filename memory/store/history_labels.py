"""The history of a memory in sentences: actor, action and reason."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.template.defaultfilters import capfirst
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import BinReason, MemoryEvent, MemoryRevision
from memory.models.history import Action
from memory.models.reasons import from_columns, in_words

_SENTENCES = {
    Action.CREATED: gettext_lazy("%(who)s saved it."),
    Action.REVISED: gettext_lazy("%(who)s edited it."),
    Action.REINFORCED: gettext_lazy(
        "%(who)s heard it again: its importance rose and its lifetime restarted."
    ),
    Action.USED: gettext_lazy("%(who)s used it in a reply."),
    Action.RENEWED: gettext_lazy("The answer used it, so its lifetime restarted."),
    Action.UNUSED: gettext_lazy("%(who)s undid one use."),
    Action.EXPIRED: gettext_lazy("It expired and moved to the bin."),
    Action.EVICTED: gettext_lazy(
        "Moved to the bin: the space was full and this was the least important."
    ),
    Action.DELETED: gettext_lazy("%(who)s moved it to the bin."),
    Action.RESTORED: gettext_lazy("%(who)s restored it from the bin."),
    Action.PURGED: gettext_lazy("%(who)s purged it."),
    Action.PINNED: gettext_lazy("%(who)s pinned it."),
    Action.UNPINNED: gettext_lazy("%(who)s unpinned it."),
    Action.EXTENDED: gettext_lazy("%(who)s restarted its lifetime."),
    Action.HELD: gettext_lazy("It was sent to review."),
    Action.APPROVED: gettext_lazy("%(who)s approved it."),
    Action.REJECTED: gettext_lazy("%(who)s rejected it."),
    Action.RESET: gettext_lazy("%(who)s reset the adjustment of its importance."),
    Action.UNRESET: gettext_lazy("%(who)s restored the adjustment of its importance."),
}
_ACTORS = {
    "key": gettext_lazy("the key “%(name)s”"),
    "assessor": gettext_lazy("the assessor (%(name)s)"),
    "assistant": gettext_lazy("the assistant (%(name)s)"),
}
_KINDS = {
    "key": gettext_lazy("a key"),
    "assessor": gettext_lazy("the assessor"),
    "assistant": gettext_lazy("the assistant"),
    "system": gettext_lazy("Ebb"),
}
_BUILT_IN = {
    "assessor": gettext_lazy("the built-in assessor"),
    "assistant": gettext_lazy("the built-in responder"),
}


@dataclass(frozen=True)
class HistoryEntry:
    """One history entry. `why` is empty if the sentence includes the reason."""

    event: MemoryEvent
    sentence: SafeString
    why: str


def entries_of(events: Iterable[MemoryEvent]) -> list[HistoryEntry]:
    """Return the events as sentences, in their order."""
    return [HistoryEntry(event, _sentence(event), _why(event)) for event in events]


def _sentence(event: MemoryEvent) -> SafeString:
    # A user name keeps its own capitalisation.
    begins = who(event) if event.actor_type == "user" else capfirst(who(event))
    return _filled(_SENTENCES[Action(event.action)], who=format_html("{}", begins))


def who(done: object) -> SafeString:
    """Return the name of the actor of an object with `actor_type` and `actor_name`, such as an
    event or a revision, in the reader's language."""
    return named(getattr(done, "actor_type", ""), getattr(done, "actor_name", ""))


def named(kind: str, name: str) -> SafeString:
    """Return an actor in the reader's language. A name that a person chose is isolated, because
    its text direction may differ."""
    if kind in _BUILT_IN and name == "built-in":
        return conditional_escape(_BUILT_IN[kind])
    called = format_html("<bdi>{}</bdi>", name or _("someone"))
    if kind in _ACTORS and name:
        return _filled(_ACTORS[kind], name=called)
    return conditional_escape(_KINDS.get(kind, called))


def why(done: MemoryEvent | MemoryRevision) -> str:
    """Return the reason in the reader's language, empty if there is none."""
    if done.reason in BinReason:
        return str(BinReason(done.reason).label)
    return in_words(from_columns(done.reason, done.reason_code, done.reason_argument))


def _filled(sentence: object, **values: SafeString) -> SafeString:
    return mark_safe(conditional_escape(str(sentence)) % values)  # noqa: S308 - both sides are escaped


def _why(event: MemoryEvent) -> str:
    """Return the reason, or an empty text if the sentence includes it."""
    if event.reason == BinReason.SUPERSEDED:
        return _("replaced by a newer memory")
    return "" if event.reason in BinReason else why(event)
