"""Voyage AI (seed 004), through its documented HTTP interface.

Its SDK brings a chunker, a tracer and an imaging library (docs/dependencies.md); this is one
request.
"""

from collections.abc import Sequence

from memory.embeddings.base import TextKind
from memory.embeddings.remote import RemoteEmbedder

VOYAGE_URL = "https://api.voyageai.com/v1"
# Keys of MongoDB's Voyage AI begin with "al-" and work only there.
ATLAS_KEY, ATLAS_URL = "al-", "https://ai.mongodb.com/v1"


class VoyageEmbedder(RemoteEmbedder):
    """A model of Voyage AI at `base_url` ("" is the key's own), called with `api_key`.

    Queries and documents are embedded differently: `kind` is sent as `input_type`.
    """

    name = "voyage"

    def _place(self, api_key: str) -> str:
        return ATLAS_URL if api_key.startswith(ATLAS_KEY) else VOYAGE_URL

    def _body(self, texts: Sequence[str], *, kind: TextKind) -> dict[str, object]:
        return {"model": self.model, "input": list(texts), "input_type": kind}
