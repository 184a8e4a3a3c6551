"""The built-in assessor's reasoning is shown in the reader's language."""

import pytest
from django.utils import translation

from assessor.local import assessing
from assessor.reasoning_labels import _CUES, reasoning_in_words

STORED = "Reads like fact (81% sure); wording: identity, health; P 0.75 (64% sure)"


def test_it_is_translated() -> None:
    with translation.override("zh-hans"):
        assert (
            reasoning_in_words(STORED)
            == "像是事实（81% 把握）；用词：身份、健康；P 0.75（64% 把握）"
        )


@pytest.mark.parametrize("said", [STORED, "The user moved.", "Reads like nonsense (3% sure)", ""])
def test_english_stays_as_stored(said: str) -> None:
    assert reasoning_in_words(said) == said


def test_every_cue_has_a_label() -> None:
    assert set(_CUES) == set(assessing._TOLD_CUES)


def test_the_assessor_writes_it_in_this_form() -> None:
    said = assessing._reasoning("My name is Ana", "identity", 0.912)

    with translation.override("zh-hans"):
        assert reasoning_in_words(said).startswith("像是身份（91% 把握）")
