"""Tells a single statement from a longer text."""

MOST_BYTES = 300


def is_one_statement(text: str) -> bool:
    """Return whether the text is short enough for one statement: 300 letters, or 100 Chinese ones.

    A longer text has several facts, which no rule can separate: an assistant's long answers would
    make each other outdated.
    """
    return len(text.encode(errors="replace")) <= MOST_BYTES
