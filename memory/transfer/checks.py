"""Checks of a row beyond the types of its columns. Each raises ValueError."""

from typing import Any

from pydantic import ValidationError

from memory.drafts import MAX_CONTENT, Facets
from memory.errors import plainly
from memory.models import Status
from memory.policy import PolicyDocument


def memory(row: dict[str, Any]) -> None:
    """Check a memory's row."""
    _said(row)
    if (row["status"] == Status.BINNED) != (row["binned_at"] is not None):
        raise ValueError("binned_at: belongs to what is in the bin, and to nothing else")


def revision(row: dict[str, Any]) -> None:
    """Check a revision's row."""
    _said(row)
    if not 0.0 <= row["importance"] <= 1.0:
        raise ValueError("importance: must be between 0 and 1")


def policy(row: dict[str, Any]) -> None:
    """Check a policy version's row."""
    _valid(PolicyDocument, row["document"], "document")


def _said(row: dict[str, Any]) -> None:
    if not row["content"]:
        raise ValueError("content: must not be empty")
    if len(row["content"]) > MAX_CONTENT:
        raise ValueError(f"content: longer than {MAX_CONTENT} characters")
    if row["facets"] is not None:
        _valid(Facets, row["facets"], "facets")


def _valid(model: type[Facets] | type[PolicyDocument], value: object, name: str) -> None:
    try:
        model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, (name, *first["loc"])))
        raise ValueError(f"{where}: {plainly(first)}") from None
