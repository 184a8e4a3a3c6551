"""Limits for a memory's metadata, the caller's own values that Ebb stores and returns."""

import json
from typing import Any

MAX_METADATA = 8192  # characters as JSON
MAX_METADATA_KEYS, MAX_METADATA_DEPTH = 50, 5


def bounded(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata; raise ValueError if it is too large, too deep or has too many keys."""
    if len(json.dumps(metadata, ensure_ascii=False)) > MAX_METADATA:
        raise ValueError(f"must have at most {MAX_METADATA} characters as JSON")
    keys, level = 0, list[Any]([metadata])
    for _depth in range(MAX_METADATA_DEPTH):
        objects = [part for part in level if isinstance(part, dict)]
        keys += sum(map(len, objects))
        level = [
            inner
            for part in level
            for inner in (part.values() if isinstance(part, dict) else part)
            if isinstance(inner, dict | list)
        ]
    if level:
        raise ValueError(f"must be nested at most {MAX_METADATA_DEPTH} levels deep")
    if keys > MAX_METADATA_KEYS:
        raise ValueError(f"must have at most {MAX_METADATA_KEYS} keys")
    return metadata
