"""A client of Ebb's JSON API: long-term memory for a program, without dependencies."""

from ebb_client.answers import Event
from ebb_client.client import Ebb
from ebb_client.errors import (
    Busy,
    Conflict,
    EbbError,
    Forbidden,
    InvalidArguments,
    ModelUnavailable,
    NotFound,
    RateLimited,
    Unauthorized,
    Unreachable,
)

__all__ = [
    "Busy",
    "Conflict",
    "Ebb",
    "EbbError",
    "Event",
    "Forbidden",
    "InvalidArguments",
    "ModelUnavailable",
    "NotFound",
    "RateLimited",
    "Unauthorized",
    "Unreachable",
]
