"""An authenticator app, as RFC 6238 describes it: independent of what Ebb uses."""

import base64
import hmac
from datetime import datetime


def app_code(secret: str, at: datetime) -> str:
    """The six digits that the app shows at this time."""
    key = base64.b32decode(secret.replace(" ", ""))
    counter = int(at.timestamp()) // 30
    digest = hmac.digest(key, counter.to_bytes(8, "big"), "sha1")
    start = digest[-1] & 15
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**6:06}"
