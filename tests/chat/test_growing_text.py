"""Markdown that is still being written becomes the same HTML as the whole."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.text.growing_text import GrowingText
from chat.text.markdown import to_html

BLOCKS = [
    "Hello **there**, `x`", "abc\n#tag and more\n***bold*** end", "# Title", "- a\n- b\n  - c",
    "1. one\n\n   two\n2. three", "```python\ndef f(x):\n\n    return 1\n```", "```\nnot closed",
    "| a | b |\n|---|---|\n| 1 | 2 |", "> quote\nlazy", "---", "Setext\n===",
    "    code\n\n    more", "你好。[a](https://a.example)", "<b>\r\nbold</b>",
]  # fmt: skip
OPEN = re.compile(r'<div class="open-block" id="open">(.*)</div>$', re.DOTALL)


def shown(pieces: list[str]) -> str:
    """Return the page's content after these pieces."""
    growing, page = GrowingText("open"), ""
    for piece in pieces:
        page = OPEN.sub("", page) + growing.add(piece)
    return OPEN.sub(r"\1", page)


@given(
    blocks=st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=6),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8),
)
def test_pieces_of_any_size_come_to_the_same(blocks: list[str], sizes: list[int]) -> None:
    text = "\n\n".join(blocks)
    pieces: list[str] = []
    while sum(map(len, pieces)) < len(text):
        begin = sum(map(len, pieces))
        pieces.append(text[begin : begin + sizes[len(pieces) % len(sizes)]])
    whole = to_html(text.replace("\r", ""))
    assert shown(pieces).replace("\n", "") == whole.replace("\n", "")


def test_a_finished_block_is_sent_once() -> None:
    growing = GrowingText()
    first = "<p>First.</p>\n"
    assert growing.add("First.\n\nSec") == f'<div class="open-block">{first}<p>Sec</p>\n</div>'
    # A block begins for sure when its first line has ended.
    assert growing.add("ond.\n") == f'{first}<div class="open-block"><p>Second.</p>\n</div>'
    assert growing.add("\n") == '<div class="open-block"><p>Second.</p>\n</div>'


@pytest.mark.parametrize("text", ["", "\n\n", "  "])
def test_without_a_word_there_is_an_empty_block(text: str) -> None:
    assert GrowingText("open").add(text) == '<div class="open-block" id="open"></div>'
