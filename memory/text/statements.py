"""Tells a single statement from a longer text."""

MOST_BYTES = 300


def is_one_statement(text: str) -> bool:
    """Return whether the text is short enough for one statement: 300 letters, or 100 Chinese ones.

    A longer text has more facts, which no rule takes apart: the long answers of an assistant would
    end each other.
    """
    return len(text.encode(errors="replace")) <= MOST_BYTES
