"""Removes the thoughts that a reasoning model writes before its answer: `<think>…</think>`."""

import re

_OPENING = re.compile(r"\A\s*+<(think|thinking)>", re.IGNORECASE)
_CLOSING = re.compile(r"</think(ing)?>", re.IGNORECASE)
_LONGEST_TAG = len("</thinking>")


class ThoughtFilter:
    """Passes on a stream's text, except for thoughts at its beginning."""

    def __init__(self) -> None:
        self._held = ""  # text that may yet turn out to be a thought
        self._thinking = False
        self._thought = False
        self._answering = False

    def add(self, text: str) -> str:
        """Return the new part of the text that belongs to the answer and was not returned yet."""
        if self._answering:
            return text
        self._held += text
        if not self._thinking and (opening := _OPENING.match(self._held)):
            self._thinking, self._held = True, self._held[opening.end() :]
        if self._thinking:
            closing = _CLOSING.search(self._held)
            if closing is None:
                self._held = self._held[-_LONGEST_TAG:]
                return ""
            self._thinking, self._thought = False, True
            self._held = self._held[closing.end() :]
        return "" if self._may_go_on() else self.rest()

    def rest(self) -> str:
        """Return the buffered text at the end of a stream, without an unfinished thought."""
        held, self._held = self._held, ""
        self._answering = not self._thinking
        if self._thinking:
            return ""
        return held.lstrip() if self._thought else held

    def _may_go_on(self) -> bool:
        """Return whether the buffered text could be the start of a tag, or blanks before one."""
        return "<thinking>".startswith(self._held.strip().lower())
