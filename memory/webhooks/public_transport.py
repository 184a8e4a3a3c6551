"""An HTTP transport that connects to public addresses only.

The name is resolved and checked at each request, and the connection uses the checked address. So
changing the name's DNS record after a check has no effect. The certificate is verified by name.
"""

import asyncio

import httpx2

from memory.webhooks.addresses import Unreachable, checked_address, endpoint_of

REFUSED = "The address is unknown or in a private network, which EBB_PRIVATE_ENDPOINTS=0 forbids."


class AsyncPublicTransport(httpx2.AsyncHTTPTransport):
    """A transport that raises ConnectError for a private address."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request to a checked address. Raises if it is private."""
        checked = await asyncio.to_thread(checked_request, request)
        return await super().handle_async_request(checked)


def checked_request(request: httpx2.Request) -> httpx2.Request:
    """Return the request directed to a checked address of its host; its Host header and its
    certificate keep the name. Raises ConnectError."""
    try:
        address = checked_address(endpoint_of(str(request.url)), private=False)
    except (Unreachable, ValueError):
        raise httpx2.ConnectError(REFUSED, request=request) from None
    request.extensions = {**request.extensions, "sni_hostname": request.url.host}
    request.url = request.url.copy_with(host=address)
    return request
