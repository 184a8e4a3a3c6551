"""Why a memory is held for review, as one stored line: the kind of the reason, and the words that
raised it.

A reason is one line (for a finding see assessor.screening: where the words stand, and what they
do), and the words in quotation marks. What comes before the words is its kind.
"""

import re

UNSURE = "The judge was not sure"
CONFLICT = "It contradicts what is known"
QUOTE_BEGINS = ": “"
MAX_QUOTED = 200  # characters


def because(kind: str, quote: str) -> str:
    """A reason: its kind, and on one line the words that are the evidence, if there are any."""
    quote = " ".join(quote.split())
    cut = quote if len(quote) <= MAX_QUOTED else f"{quote[:MAX_QUOTED]}…"
    return f"{kind}{QUOTE_BEGINS}{cut}”" if cut else kind


def kind_of(reason: str) -> str:
    """What is the same in the reasons of alike findings."""
    return reason.partition(QUOTE_BEGINS)[0]


def quote_of(reason: str) -> str:
    """The words that raised it, on one line and perhaps cut; empty if the reason quotes none."""
    return reason.partition(QUOTE_BEGINS)[2].removesuffix("”")


def parted(text: str, quote: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is the quote, however its lines are broken."""
    words = [re.escape(word) for word in quote.removesuffix("…").split()]
    found = re.search(r"\s+".join(words), text, re.IGNORECASE) if words else None
    if found is None:
        return [(text, False)]
    pieces = [(text[: found.start()], False), (found.group(), True), (text[found.end() :], False)]
    return [(piece, is_quote) for piece, is_quote in pieces if piece]
