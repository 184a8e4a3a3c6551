"""Stored reasons are said in the reader's language, and what people wrote is left alone."""

import tomllib
from importlib import resources

import pytest
from django.utils.translation import override

from assessor.screening.attacks import Finding
from assessor.screening.provenance import Origin
from assessor.screening.suspicion import CONFIRMED, LIKE_AN_INSTRUCTION, WITH_EARLIER
from memory.models import BinReason, MemoryEvent
from memory.models.reasons import REASONS, WITHOUT_ID, Reason, columns, in_words
from memory.store.history_labels import why
from memory.templatetags.ebb import match_in_words

_RULES = resources.files("assessor.screening").joinpath("attacks.toml").read_text("utf-8")
DOES = {rule["does"] for rule in tomllib.loads(_RULES)["rules"]}
DOES |= {CONFIRMED, LIKE_AN_INSTRUCTION, WITH_EARLIER}
SAID = "say {this} 100% (or “that”)"
# What is stored, where a page says it in other words: kinds are stored for ever.
ENGLISH = {
    "In the user's message": "The user's message",
    "In text the user showed": "Text the user pasted",
    "In the assistant's reply": "The assistant's reply",
    "In the context": "The context",
    "In the summary": "The summary",
    "In encoded text": "Encoded text",
    "dictates what to remember of the user": "tries to dictate what is remembered",
    "gives the judge's answer itself": "tries to give the assessor's answer",
    "overrides instructions": "tries to override instructions",
    "plants an instruction for later": "tries to plant an instruction for later",
    "sends the user's data away": "tries to send the user's data elsewhere",
    "sets its own importance": "tries to set its own importance",
    "sets its own lifetime": "tries to set its own lifetime",
    "speaks as the system": "pretends to be the system",
    "speaks to the assistant": "gives the assistant an instruction",
    "speaks to the machine that reads it": "gives the reading program an instruction",
    "tells the assistant to keep something from the user": (
        "asks the assistant to hide something from the user"
    ),
    "tells the judge what it is": "tells the assessor how to assess it",
    "vouches for somebody": "vouches for someone",
    WITH_EARLIER: "reads like an instruction to the assistant, together with earlier messages",
}


def latin(text: str) -> bool:
    return any("a" <= letter <= "z" for letter in text.lower())


@pytest.mark.parametrize("does", sorted(DOES))
@pytest.mark.parametrize("origin", Origin)
def test_every_finding_is_said_in_chinese(origin: Origin, does: str) -> None:
    reason = Finding(does, origin, SAID).reason
    with override("zh-hans"):
        words = in_words(reason)
    assert words.count(SAID) == 1
    assert not latin(words.replace(SAID, "")), words
    with override("en"):
        place, kind, quote = reason.split(": ", 2)
        expected = f"{ENGLISH.get(place, place)} {ENGLISH.get(kind, kind)}: {quote}"
        assert in_words(reason) == expected


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
