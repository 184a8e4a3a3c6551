"""The web application: Django behind ServeStatic and /mcp."""

import os
from contextlib import suppress
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def _application() -> Any:
    import django

    django.setup(set_prefix=False)
    from django.conf import settings
    from servestatic import ServeStaticASGI

    from config.handler import StreamingASGIHandler
    from config.lifespan import Lifespan
    from config.mcp.endpoint import McpEndpoint

    _load_embedder()
    pages_and_api = ServeStaticASGI(
        StreamingASGIHandler(), root=settings.STATIC_ROOT, prefix=settings.STATIC_URL
    )
    return Lifespan(McpEndpoint(pages_and_api))


def _load_embedder() -> None:
    """Load the local embedder at start, so that no request waits for it.

    If the model is missing, requests report that.
    """
    from django.conf import settings

    from memory.embeddings import EmbeddingError, count_dimensions

    if settings.EBB_EMBEDDING_PROVIDER == "local":
        with suppress(EmbeddingError):
            count_dimensions("local", settings.EBB_EMBEDDING_MODEL)


application = _application()
