"""Text of any making is read: no pattern goes over it again from each character."""

import pytest

from assessor.screening.machine_text import without_machine_text
from memory.drafts import MAX_CONTENT
from memory.text.secrets import mask_secrets

PIECES = ["0", "A1", "a.b@", "1 2 3 ", "1天前", "今天的对话摘要“", "- [2026-02-18] x", "<memory "]


@pytest.mark.parametrize("piece", PIECES)
def test_the_longest_text_is_read(piece: str) -> None:
    text = piece * (MAX_CONTENT // len(piece))

    assert without_machine_text(mask_secrets(text)).startswith(piece)
