"""Names of browsers, for the list of sessions."""

# The first match counts, because headers of the earlier browsers contain the later names too.
_BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"), ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)  # fmt: skip
_SYSTEMS = (
    ("Windows", "Windows"), ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"),
    ("Mac OS X", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


def device(agent: str) -> str:
    """Return a short name for a User-Agent header, such as “Firefox · Linux”; "" if unknown."""
    found = (
        next((name for mark, name in names if mark in agent), "") for names in (_BROWSERS, _SYSTEMS)
    )
    return " · ".join(filter(None, found))
