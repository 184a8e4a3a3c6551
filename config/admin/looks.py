"""The admin's appearance in unfold: Ebb's name and colours."""

from typing import Any

from django.templatetags.static import static

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Ebb",
    "SITE_HEADER": "Ebb",
    "SITE_SYMBOL": "waves",
    "SITE_URL": "/",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("ebb/favicon.svg")}
    ],
    "DASHBOARD_CALLBACK": "config.admin.queue.add_queue",
    "STYLES": [lambda request: static("ebb/admin.css")],
    # Based on the accent of static/ebb/ebb.css: 600 below white text, 500 for text in dark mode.
    "COLORS": {
        "primary": {
            "50": "#eff8f9", "100": "#d9eff1", "200": "#b5dfe4", "300": "#85c8d0",
            "400": "#4dbdc9", "500": "#2796a5", "600": "#0b626d", "700": "#0a525c",
            "800": "#0c444c", "900": "#0d3940", "950": "#06252a",
        },
    },
}  # fmt: skip
