"""Stored reasons are said in the reader's language, and what people wrote is left alone."""

import tomllib
from importlib import resources

import pytest
from django.utils.translation import override

from assessor.screening.attacks import Finding
from assessor.screening.provenance import Origin
from memory.models import BinReason, MemoryEvent
from memory.models.reasons import REASONS, Reason, columns, in_words
from memory.store.history_labels import why
from memory.templatetags.ebb import match_in_words

_RULES = resources.files("assessor.screening").joinpath("attacks.toml").read_text("utf-8")
DOES = {rule["does"] for rule in tomllib.loads(_RULES)["rules"]}
SAID = "say {this} 100% (or “that”)"


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
        assert in_words(reason) == reason


@pytest.mark.parametrize("code", REASONS)
def test_what_services_note_is_said_in_chinese(code: str) -> None:
    reason = Reason(code, SAID)
    event = MemoryEvent(**columns(reason))
    with override("zh-hans"):
        words = why(event)
    assert (SAID in words) == (SAID in reason)
    assert not latin(words.replace(SAID, "")), words
    with override("en"):
        assert why(event) == event.reason == reason


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
