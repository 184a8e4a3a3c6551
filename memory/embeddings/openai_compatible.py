"""Embedder for any endpoint of OpenAI's embeddings protocol: OpenAI, Ollama, vLLM, llama.cpp."""

from collections.abc import Sequence

from memory.embeddings.base import TextKind
from memory.embeddings.remote import RemoteEmbedder

OPENAI_URL = "https://api.openai.com/v1"
LISTING_TIMEOUT = 5.0  # seconds


class OpenAICompatibleEmbedder(RemoteEmbedder):
    """A model at `base_url` ("" is OpenAI's own), called with `api_key`.

    The protocol has one kind of text: queries and documents are embedded alike.
    """

    name = "openai"

    def _place(self, api_key: str) -> str:
        return OPENAI_URL

    def _body(self, texts: Sequence[str], *, kind: TextKind) -> dict[str, object]:
        # OpenAI's SDK asks for base64, which not every endpoint supports.
        return {"model": self.model, "input": list(texts), "encoding_format": "float"}

    def listed_models(self) -> list[str]:
        listed = self._wire.get("/models", LISTING_TIMEOUT)
        models = listed.get("data") if isinstance(listed, dict) else None
        listing = models if isinstance(models, list) else []
        named = (one.get("id") for one in listing if isinstance(one, dict))
        return sorted(str(name) for name in named if name)
