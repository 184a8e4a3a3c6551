"""Stored reasons are said in the reader's language, and what people wrote is left alone."""

import tomllib
from importlib import resources

import pytest
from django.utils.translation import override

from assessor.remembering import JUDGED
from assessor.retractions import DELETED, REASON
from assessor.screening.attacks import Finding
from assessor.screening.provenance import Origin
from memory.memories.undo import REASON as UNDONE
from memory.models import BinReason
from memory.reconciliation.discarding import SUPERSEDER_IS_BACK
from memory.review.approvals import TAKEN_BACK
from memory.review.services import PROPOSED_AGAIN
from memory.store.reason_labels import in_words

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


@pytest.mark.parametrize(
    "reason",
    [
        JUDGED, REASON, DELETED, TAKEN_BACK, SUPERSEDER_IS_BACK, UNDONE, BinReason.DELETED.value,
        f"{PROPOSED_AGAIN}: {SAID}", f"not relevant to “{SAID}”", f"conversation {SAID}",
        "92% match",
    ],
)  # fmt: skip
def test_what_services_note_is_said_in_chinese(reason: str) -> None:
    with override("zh-hans"):
        words = in_words(reason)
    assert (SAID in words) == (SAID in reason)
    assert not latin(words.replace(SAID, "")), words


def test_what_ebb_did_not_write_stays() -> None:
    with override("zh-hans"):
        assert in_words("They said {so}: imported") == "They said {so}: imported"
        assert in_words("") == ""
