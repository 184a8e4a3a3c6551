"""Limits of the JSON objects that programs send, such as an exchange's context, and of files.

The objects are masked and screened text by text, so their size decides how long that takes.
"""

from typing import Any

MAX_TEXTS = 50_000  # characters, of all texts and names together
MAX_DEPTH = 20
MAX_VALUES = 2_000
MAX_CONTAINERS, MAX_PARTS = 1_000_000, 5_000_000  # of a whole file


def small(value: dict[str, Any]) -> dict[str, Any]:
    """Return the object; raise ValueError if it is so large that reading it would take long.

    It goes level by level: a recursion would fail at a depth of a thousand.
    """
    values, texts, level = 0, 0, [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for item in level:
            values += 1
            texts += len(item) if isinstance(item, str) else 0
            if isinstance(item, dict):
                texts += sum(map(len, item))
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if values + len(inner) > MAX_VALUES:
            raise ValueError(f"must have at most {MAX_VALUES} values")
        if texts > MAX_TEXTS:
            raise ValueError(f"must have at most {MAX_TEXTS} characters of text in all")
        if not inner:
            return value
        level = inner
    raise ValueError(f"must have at most {MAX_DEPTH} levels")


def refuse_dense(text: str) -> None:
    """Raise ValueError if this JSON has so many objects, lists and values that reading it would
    fill the memory: two characters may become an object of sixty-four bytes.

    It counts signs inside texts too, which are rare enough.
    """
    containers = text.count("{") + text.count("[")
    if containers > MAX_CONTAINERS or containers + text.count(",") > MAX_PARTS:
        raise ValueError("it has too many values. Split it")
