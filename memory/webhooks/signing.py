"""The signature of a message, by the Standard Webhooks specification 1.0 (standardwebhooks.com).

Its Python reference library is as long as this module, and includes verification, which only
receivers need.
"""

import base64
import hmac
import secrets
from uuid import UUID

PREFIX = "whsec_"


def new_secret() -> str:
    """Return 256 random bits in the specification's format."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return `v1,` and the HMAC-SHA256 of `id.timestamp.body`; `timestamp` in seconds since
    1970."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def headers(secret: str, message_id: UUID, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers for verifying a message. The id is the same in each attempt."""
    return {
        "webhook-id": str(message_id),
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, str(message_id), timestamp, body),
    }
