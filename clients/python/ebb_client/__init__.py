"""A client of Ebb's JSON API: long-term memory for a program, without dependencies."""

from ebb_client.client import Ebb
from ebb_client.errors import (
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
from ebb_client.wire import Event

__all__ = [
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
