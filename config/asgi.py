"""The web application: Django behind ServeStatic and /mcp."""

import gc
import os
from contextlib import suppress
from importlib import import_module
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def _application() -> Any:
    import django

    from operations.monitoring.shared_metrics import share_metrics

    share_metrics()  # before anything imports prometheus_client
    django.setup(set_prefix=False)
    from django.conf import settings
    from servestatic import ServeStaticASGI

    from config.lifespan import Lifespan
    from config.middleware.handler import StreamingASGIHandler
    from config.middleware.headers import static_headers
    from endpoints.mcp.endpoint import McpEndpoint

    _load_models()
    pages_and_api = ServeStaticASGI(
        StreamingASGIHandler(),
        root=settings.STATIC_ROOT,
        prefix=settings.STATIC_URL,
        add_headers_function=static_headers,
    )
    application = Lifespan(McpEndpoint(pages_and_api))
    _freeze()
    return application


def _freeze() -> None:
    """Exclude all that was loaded from garbage collection.

    A full collection examined it again and stopped all replies of the process for 0.2 s.
    """
    from django.conf import settings

    import_module(settings.ROOT_URLCONF)  # otherwise loaded by the first request
    gc.freeze()


def _load_models() -> None:
    """Load the built-in models at start, so that no request waits for them.

    If an embedder is missing, requests report that.
    """
    from django.conf import settings

    from assessor.assessing import Exchange, assess_locally
    from memory.embeddings import MULTILINGUAL, EmbeddingError, count_dimensions

    needed = {MULTILINGUAL}  # by the checks of new memories
    if settings.EBB_EMBEDDING_PROVIDER == "local":
        needed.add(settings.EBB_EMBEDDING_MODEL)
    for model in needed:
        with suppress(EmbeddingError):
            count_dimensions("local", model)
    assess_locally(Exchange("…"))


application = _application()
