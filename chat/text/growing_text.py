"""Markdown that is still being written, as HTML.

Only the last block can still change: a list gets items, a paragraph words. So each finished block
is rendered and sent once. At the end the whole text is rendered again, to the same HTML.
"""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from chat.text.markdown import last_block, to_html


class GrowingText:
    """The text so far. `place` is the id of the element with the open block, "" for none."""

    def __init__(self, place: str = "") -> None:
        self._place = place
        self._open = ""

    def add(self, text: str) -> SafeString:
        """Add text. Return the HTML that replaces the element of the open block: the blocks that
        are finished now, then that element again."""
        text = text.replace("\r", "")  # would count as a separate line
        finished, self._open = _divided(self._open + text, has_new_line="\n" in text)
        named = format_html(' id="{}"', self._place) if self._place else ""
        tail = format_html('<div class="open-block"{}>{}</div>', named, to_html(self._open))
        return to_html(finished) + tail


def _divided(text: str, *, has_new_line: bool) -> tuple[str, str]:
    """Return the finished blocks and the open one. An unfinished line is undecided: "#" may become
    a heading or "#tag".
    """
    if not has_new_line:
        return "", text
    lines = text.split("\n")
    begins = last_block("\n".join(lines[:-1]) + "\n")
    finished = "".join(f"{line}\n" for line in lines[:begins])
    return finished, text[len(finished) :]
