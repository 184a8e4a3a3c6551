"""The web application: Django behind ServeStatic and /mcp."""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def _application() -> Any:
    import django

    django.setup(set_prefix=False)
    from django.conf import settings
    from servestatic import ServeStaticASGI

    from config.handler import StreamingASGIHandler
    from config.mcp.door import McpDoor

    pages_and_api = ServeStaticASGI(
        StreamingASGIHandler(), root=settings.STATIC_ROOT, prefix=settings.STATIC_URL
    )
    return McpDoor(pages_and_api)


application = _application()
