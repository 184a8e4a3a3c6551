"""Limits of wrong passwords and codes, by account and by address: each place that asks for one
checks it with `attempt`.

All processes share the counts. A count ends 15 minutes after its first failure.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from ipaddress import IPv6Address, IPv6Network
from typing import TypeVar

from django.http import HttpRequest

from memory.access import limit_counts
from memory.errors import RateLimited

WINDOW = timedelta(minutes=15)
MOST_PER_ACCOUNT = 10
MOST_PER_ADDRESS = 30

T = TypeVar("T")


class TooManyFailures(RateLimited):
    """The account or the address is locked for a while."""

    def __init__(self) -> None:
        text = "Too many failed attempts. Try again in 15 minutes."
        super().__init__(text, retry_after=WINDOW.total_seconds())


def attempt(check: Callable[[], T], *, kind: str, account: str, address: str, now: datetime) -> T:
    """Return the result of `check`, which is falsy for a wrong password or code.

    Raises TooManyFailures after too many failures of this kind at the account, or from the address.
    """
    # Counted before the check: attempts at the same time count each other.
    if _count("address", address, 1, now) > MOST_PER_ADDRESS:
        raise TooManyFailures
    if _count(kind, account, 1, now) > MOST_PER_ACCOUNT:
        _count("address", address, -1, now)
        raise TooManyFailures
    result = check()
    if result:
        limit_counts.forget(_key(kind, account))
        _count("address", address, -1, now)
    return result


def address_of(request: HttpRequest | None) -> str:
    """Return the sender's address; of an IPv6 address its /64, since one customer has all of it."""
    address: str = request.META.get("REMOTE_ADDR", "") if request else ""
    try:
        parsed = IPv6Address(address)
    except ValueError:
        return address
    return str(parsed.ipv4_mapped or IPv6Network((int(parsed), 64), strict=False))


def _count(kind: str, value: str, number: int, now: datetime) -> int:
    return limit_counts.add(_key(kind, value), number, start=now, since=now - WINDOW)


def _key(kind: str, value: str) -> str:
    digest = hashlib.sha256(value.casefold().encode(errors="replace")).hexdigest()
    return f"login-failures:{kind}:{digest}"
