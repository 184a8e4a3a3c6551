"""The built-in assessor's reasoning is shown in the reader's language."""

import pytest
from django.utils import translation

from assessor.local import assess
from assessor.reasoning_labels import _VOICES, reasoning_in_words
from reader.statement import VOICES

STORED = "Reads like fact (81% sure); worth keeping: 93%; voice: small talk"


def test_it_is_translated() -> None:
    with translation.override("zh-hans"):
        assert reasoning_in_words(STORED) == "像是事实（81% 把握）；值得保留：93%；口吻：闲聊"


@pytest.mark.parametrize("said", [STORED, "The user moved.", "Reads like nonsense (3% sure)", ""])
def test_english_stays_as_stored(said: str) -> None:
    assert reasoning_in_words(said) == said


def test_every_voice_has_a_label() -> None:
    assert set(_VOICES) == {voice.replace("_", " ") for voice in VOICES}


def test_the_assessor_writes_it_in_this_form() -> None:
    said = assess("My name is Ana").reasoning

    with translation.override("zh-hans"):
        assert reasoning_in_words(said).startswith("像是身份（")
