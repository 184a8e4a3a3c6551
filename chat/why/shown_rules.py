"""The standing rules of a stored reply that a reader may see.

A reply in a shared conversation may have followed the private rules of the person who asked for it.
Every page, endpoint and file that shows a stored reply's rules takes them from here.
"""

from collections.abc import Sequence
from typing import Any

from accounts.authentication import Access
from foundation.readers import Reader


def rules_seen(
    rules: Sequence[dict[str, Any]], reader: Reader, person: str | None = None
) -> list[dict[str, Any]]:
    """Return the rules that this reader sees, and the `person`'s own.

    A rule that does not say whose it is, as in some imported files, is only for a reader of
    everything.
    """
    if reader.everyone:
        return list(rules)
    named = [rule for rule in rules if "user_id" in rule]
    return [
        rule
        for rule in named
        if reader.sees(rule["user_id"]) or (person is not None and rule["user_id"] == person)
    ]


def rules_shown(rules: Sequence[dict[str, Any]], access: Access) -> list[dict[str, Any]]:
    """Return the rules that this caller may see."""
    return rules_seen(rules, access.reader, access.person)
