"""Checks of a row beyond the types of its columns. Each raises ValueError."""

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from foundation.errors import plainly
from memory.drafts import MAX_CONTENT, Facets
from memory.metadata import bounded
from memory.models import Status
from memory.policy import stored_document

MAX_LIST = 100
"""Maximum number of a memory's tags, and of its topics: far more than Ebb writes."""


def memory(row: dict[str, Any]) -> None:
    """Check a memory's row."""
    _said(row)
    if (row["status"] == Status.BINNED) != (row["binned_at"] is not None):
        raise ValueError("binned_at: must be set for memories in the bin, and only for those")
    if max(len(row["tags"]), len(row["topics"])) > MAX_LIST:
        raise ValueError(f"tags: must be at most {MAX_LIST}")
    if not isinstance(row["metadata"], dict):
        raise ValueError("metadata: must be an object")
    try:
        bounded(row["metadata"])
    except ValueError as error:
        raise ValueError(f"metadata: {error}") from None


def revision(row: dict[str, Any]) -> None:
    """Check a revision's row."""
    _said(row)
    if not 0.0 <= row["importance"] <= 1.0:
        raise ValueError("importance: must be between 0 and 1")


def policy(row: dict[str, Any]) -> None:
    """Check a policy version's row."""
    _valid(stored_document, row["document"], "document")


def _said(row: dict[str, Any]) -> None:
    if not row["content"]:
        raise ValueError("content: must not be empty")
    if len(row["content"]) > MAX_CONTENT:
        raise ValueError(f"content: longer than {MAX_CONTENT} characters")
    if not 0.0 <= (row["reinforced_from"] or 0.0) <= 1.0:
        raise ValueError("reinforced_from: must be between 0 and 1")
    if row["facets"] is not None:
        _valid(Facets.model_validate, row["facets"], "facets")


def _valid(read: Callable[[Any], object], value: object, name: str) -> None:
    try:
        read(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, (name, *first["loc"])))
        raise ValueError(f"{where}: {plainly(first)}") from None
