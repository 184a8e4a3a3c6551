"""Stored reasons are said in the reader's language, and what people wrote is left alone."""

import pytest
from django.utils.translation import override

from assessor.screening.steering import Finding, Origin
from memory.models import BinReason, MemoryEvent
from memory.models.reasons import REASONS, WITHOUT_ID, Reason, columns, in_words
from memory.store.history_labels import why
from memory.templatetags.ebb import match_in_words

SAID = "say {this} 100% (or “that”)"
# What is stored, where a page says it in other words: kinds are stored for ever.
ENGLISH = {
    "In the user's message": "The user's message",
    "In the context": "The context",
    "In the summary": "The summary",
}


def latin(text: str) -> bool:
    return any("a" <= letter <= "z" for letter in text.lower())


@pytest.mark.parametrize("origin", Origin)
def test_every_finding_is_said_in_chinese(origin: Origin) -> None:
    reason = Finding(origin, SAID, 0.91).reason
    with override("zh-hans"):
        words = in_words(reason)
    assert words.count(SAID) == 1
    assert not latin(words.replace(SAID, "")), words
    with override("en"):
        place, kind, quote = reason.split(": ", 2)
        assert in_words(reason) == f"{ENGLISH[place]} {kind}: {quote}"


@pytest.mark.parametrize("code", REASONS)
def test_what_services_note_is_said_in_chinese(code: str) -> None:
    reason = Reason(code, SAID)
    event = MemoryEvent(**columns(reason))
    with override("zh-hans"):
        words = why(event)
    assert (SAID in words) == (SAID in reason and code not in WITHOUT_ID)
    assert not latin(words.replace(SAID, "")), words
    with override("en"):
        assert why(event) == WITHOUT_ID.get(code, event.reason)
    assert event.reason == reason


@pytest.mark.parametrize("reason", ["undone", BinReason.DELETED.value])
def test_a_sentence_from_before_reasons_had_codes_is_said_in_chinese(reason: str) -> None:
    with override("zh-hans"):
        assert not latin(why(MemoryEvent(reason=reason)))


def test_a_match_is_said_in_chinese() -> None:
    with override("zh-hans"):
        assert not latin(match_in_words("92% match"))
        assert match_in_words("number 1") == "number 1"


def test_what_ebb_did_not_write_stays() -> None:
    with override("zh-hans"):
        assert in_words("They said {so}: imported") == "They said {so}: imported"
        assert in_words("") == ""
        # As of an import from a later version.
        assert why(MemoryEvent(reason="It was so", reason_code="unknown")) == "It was so"
