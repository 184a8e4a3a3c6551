"""Where messages may go: not into the network that Ebb itself stands in.

Somebody who may steer a space could otherwise have Ebb call what only Ebb can reach. A name is
resolved once, each of its addresses is checked, and the connection goes to an address that was
checked: a name that leads elsewhere a moment later leads nowhere.
"""

import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

_NAT64 = IPv6Network("64:ff9b::/96")
_PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """The message cannot be sent there. `permanent`: nor later."""

    def __init__(self, message: str, *, permanent: bool) -> None:
        self.permanent = permanent
        super().__init__(message)


@dataclass(frozen=True)
class Endpoint:
    """An address in its parts: the name for the certificate and the Host header, and its port."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query, as they are sent."""

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def endpoint_of(url: str) -> Endpoint:
    """The parts of an http(s) address; raises ValueError with a reason in words."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode()
    except (ValueError, UnicodeError):
        raise ValueError("is not a valid URL") from None
    if parts.scheme not in _PORTS:
        raise ValueError("must start with http:// or https://")
    if not host or any(c.isspace() or ord(c) < 32 for c in url):
        raise ValueError("is not a valid URL")
    if "@" in parts.netloc:
        raise ValueError("must not contain a user name or password")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(parts.scheme, host, port or _PORTS[parts.scheme], target)


def checked_address(place: Endpoint, *, private: bool) -> str:
    """An IP address of the place that a message may go to; `private` allows all.

    Raises Unreachable, also if any one of its addresses is private. Asks the name servers.
    """
    try:
        found = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unreachable(f"DNS lookup failed for {place.host}.", permanent=False) from None
    addresses = [str(entry[4][0]) for entry in found]
    if not private and not all(is_public(address) for address in addresses):
        message = f"{place.host} points into a private network; EBB_WEBHOOKS_PRIVATE allows that."
        raise Unreachable(message, permanent=True)
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether it is an address of the whole world's, whichever way it is written."""
    ip: IPv4Address | IPv6Address = ip_address(address)
    if isinstance(ip, IPv6Address):
        if ip.sixtofour or ip.teredo:
            return False
        if ip in _NAT64:
            ip = IPv4Address(int(ip) & 0xFFFFFFFF)
        elif ip.ipv4_mapped:
            ip = ip.ipv4_mapped
    return ip.is_global and not ip.is_multicast
