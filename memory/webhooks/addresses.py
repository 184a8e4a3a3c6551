"""Address checks for webhooks: messages must not reach the network that Ebb runs in.

Otherwise the owner of a space could make Ebb call servers that only Ebb can reach. A name is
resolved once, each of its addresses is checked, and the connection uses a checked address. So
changing the name's DNS record afterwards has no effect.
"""

import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from django.utils.translation import gettext_noop as _

_NAT64 = IPv6Network("64:ff9b::/96")
_PUBLIC_IPV6 = IPv6Network("2000::/3")  # all that is assigned; the rest is local or reserved
_DOCUMENTATION = IPv6Network("3fff::/20")  # RFC 9637; Python 3.11 does not know it
_6TO4_RELAYS = IPv4Network("192.88.99.0/24")  # RFC 7526
# Services of cloud providers for their own machines, at addresses that look public.
_OF_PROVIDERS = frozenset(map(IPv4Address, ("168.63.129.16", "192.0.0.192", "100.100.100.200")))
_PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """The message cannot be sent to this address. `permanent` means that retrying is useless."""

    def __init__(self, message: str, *, permanent: bool) -> None:
        self.permanent = permanent
        super().__init__(message)


@dataclass(frozen=True)
class Endpoint:
    """A URL in its parts: the name for the certificate and the Host header, port, and target."""

    scheme: str
    host: str
    port: int
    target: str
    """Path and query, as sent."""

    @property
    def authority(self) -> str:
        """The Host header: the name, with the port if it is not the default one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def endpoint_of(url: str) -> Endpoint:
    """Return the parts of an http(s) URL; raises ValueError with a reason in words."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode()
    except (ValueError, UnicodeError):
        raise ValueError(_("is not a valid URL")) from None
    if parts.scheme not in _PORTS:
        raise ValueError(_("must start with http:// or https://"))
    if not host or any(c.isspace() or ord(c) < 32 for c in url):
        raise ValueError(_("is not a valid URL"))
    if "@" in parts.netloc:
        raise ValueError(_("must not contain a user name or password"))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(parts.scheme, host, port or _PORTS[parts.scheme], target)


def checked_address(place: Endpoint, *, private: bool) -> str:
    """Return an IP address of the endpoint that may receive messages; `private` allows all.

    Raises Unreachable, also if any one of its addresses is private. Queries the name servers.
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
    """Return true if the address is public, in whatever notation."""
    ip: IPv4Address | IPv6Address = ip_address(address)
    if isinstance(ip, IPv6Address):
        if ip.sixtofour or ip.teredo:
            return False
        if ip in _NAT64:
            ip = IPv4Address(int(ip) & 0xFFFFFFFF)
        elif ip.ipv4_mapped:
            ip = ip.ipv4_mapped
        elif ip not in _PUBLIC_IPV6 or ip in _DOCUMENTATION:
            return False
    if ip in _6TO4_RELAYS:
        return False
    return ip not in _OF_PROVIDERS and ip.is_global and not ip.is_multicast
