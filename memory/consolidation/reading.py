"""The content of a wording, in a form that both languages share."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wording:
    """A text as the comparison sees it.

    `words` are its meaningful words in order, each as the first of its synonyms; in a script
    without spaces they are characters. `persons` are the people in order, the user as "user", and
    the names. `subject` is the person whose fact it is, "" if a name or nothing tells it. `owners`
    have what the text is about: Ana in "Ana's sister". `ordered` is true if
    another order of the words would say something else. `past` is true if it is told as past.
    """

    words: tuple[str, ...]
    persons: tuple[str, ...]
    subject: str
    owners: frozenset[str]
    numbers: frozenset[str]
    ordered: bool
    past: bool
    happened: bool
    dated: bool
    by_characters: bool = False
