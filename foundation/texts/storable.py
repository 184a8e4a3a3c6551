"""The only way in for texts and JSON: what PostgreSQL can store, in the form that Ebb stores.

Every text of a request, a file or a model passes one of these functions, then a limit of its
length, then the masks of secrets. Ids pass `storable_id`: they are kept as they are.
"""

import math
from typing import Any

from foundation.texts.forms import composed


def storable_text(text: str) -> str:
    """Return the text as it is stored; raise ValueError for NUL and lone surrogates."""
    return composed(storable_id(text))


def storable_id(text: str) -> str:
    """Return the text unchanged; raise ValueError for NUL and lone surrogates: PostgreSQL refuses
    them."""
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode") from None
    return text


def storable_json(value: Any) -> Any:
    """Return the caller's own values unchanged; raise ValueError for texts that `storable_id`
    refuses, at any depth, and for NaN and infinity."""
    if isinstance(value, str):
        storable_id(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must contain finite numbers only")
    elif isinstance(value, list):
        for item in value:
            storable_json(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            storable_id(name)
            storable_json(item)
    return value


def storable(text: str) -> str:
    """Return a model's text as it is stored, with U+FFFD for NUL and lone surrogates.

    Two adjacent halves of a surrogate pair, split by an endpoint, are joined.
    """
    if text.isascii() and "\x00" not in text:
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return composed(whole.replace("\x00", "\ufffd"))
