"""The admin's icon font is shrunk (`make icons`), and has each icon that Unfold's pages name."""

import re
from pathlib import Path

import unfold
from django.conf import settings
from django.contrib.staticfiles import finders

FONT = "unfold/fonts/material-symbols/Material-Symbols-Outlined.woff2"
_ICON = re.compile(r"material-symbols-outlined[^>]*>\s*([a-z_0-9]+)\s*<")


def test_the_font_has_the_icons_of_the_templates() -> None:
    served = finders.find(FONT)
    assert served is not None
    assert Path(served).is_relative_to(settings.BASE_DIR / "static")
    assert Path(served).stat().st_size < 60_000
    kept = set(Path(served).with_name("icons.txt").read_text().split())
    templates = Path(unfold.__file__).parent.rglob("*.html")
    named = {name for path in templates for name in _ICON.findall(path.read_text("utf-8"))}
    named.add(settings.UNFOLD["SITE_SYMBOL"])
    assert len(named) > 20
    assert named - kept == set()
