"""The query that authenticates every API call by key."""

from datetime import datetime
from functools import cache

from accounts.models import ApiKey, Embedder, Space
from foundation.database.sql import Columns, fetch

_KEY, _SPACE, _EMBEDDER = Columns(ApiKey), Columns(Space), Columns(Embedder)


@cache
def _text() -> str:
    return f"""
    SELECT {_KEY.of("key")}, {_SPACE.of("space")}, {_EMBEDDER.of("embedder")}
    FROM accounts_apikey AS key
    JOIN accounts_space AS space ON space.id = key.space_id
    JOIN accounts_embedder AS embedder ON embedder.id = space.embedder_id
    WHERE (key.digest = %(digest)s
           OR (key.previous_digest = %(digest)s AND key.previous_until > %(now)s))
      AND space.closed_at IS NULL AND key.revoked_at IS NULL
      AND (key.expires_at IS NULL OR key.expires_at > %(now)s)
    """  # noqa: S608 - the names of our own columns


def live_key(digest: str, now: datetime) -> ApiKey | None:
    """Return the key with this digest, current or within its rotation's grace, with its space and
    embedder; None if the key was revoked or has expired, or if its space is being deleted.
    """
    found = fetch(_text(), {"digest": digest, "now": now})
    if not found:
        return None
    [row] = found
    before_embedder = len(_KEY) + len(_SPACE)
    key = _KEY.made_of(row[: len(_KEY)])
    key.space = _SPACE.made_of(row[len(_KEY) : before_embedder])
    key.space.embedder = _EMBEDDER.made_of(row[before_embedder:])
    return key
