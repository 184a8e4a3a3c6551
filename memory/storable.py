"""Checks of texts and JSON that PostgreSQL can store."""

import math
from typing import Any


def storable_text(text: str) -> str:
    """Return the text; raise ValueError for NUL and lone surrogates: PostgreSQL refuses them."""
    if "\x00" in text:
        raise ValueError("must not contain the NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode") from None
    return text


def storable_json(value: Any) -> Any:
    """Check texts at any depth as `storable_text` does; raise ValueError for NaN and infinity."""
    if isinstance(value, str):
        storable_text(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must contain finite numbers only")
    elif isinstance(value, list):
        for item in value:
            storable_json(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            storable_text(name)
            storable_json(item)
    return value
