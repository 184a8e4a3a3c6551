"""Shrinks Unfold's icon font to the icons that its pages may show: `make icons`. Needs fontTools.

An icon is a ligature: the letters of its name are drawn as one sign. Kept are all icons whose name
is a word in Unfold's templates, scripts or Python files, or in config/; some are only words. Their
list is written beside the font; tests/config/test_admin_icons.py compares it with the templates.
"""

import re
import shutil
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "static/unfold/fonts/material-symbols"
FONT = "Material-Symbols-Outlined.woff2"
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_ "


def icons_of(font: TTFont) -> dict[str, str]:
    """Return the glyph of each icon by its name, as in the ligatures."""
    letters = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
    found = {}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            table = getattr(table, "ExtSubTable", table)
            for first, ligatures in getattr(table, "ligatures", {}).items():
                for one in ligatures:
                    name = "".join(letters.get(glyph, "?") for glyph in [first, *one.Component])
                    found[name] = one.LigGlyph
    return found


def words_of(unfold: Path) -> set[str]:
    """Return the words in Unfold's files, and in our settings of it."""
    files = [path for ending in ("html", "js", "py") for path in unfold.rglob(f"*.{ending}")]
    files += (ROOT / "config").glob("admin*.py")
    return {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8"))}


def main(unfold: Path) -> None:
    """Write the small font and the list of its icons."""
    source = unfold / "static/unfold/fonts/material-symbols"
    font = TTFont(source / FONT)
    if "fvar" in font:
        axes = {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes}
        font = instantiateVariableFont(font, axes)
    icons, words = icons_of(font), words_of(unfold)
    kept = {name: glyph for name, glyph in icons.items() if name in words}
    options = Options(layout_closure=False, layout_features=["*"], flavor="woff2", hinting=False)
    subsetter = Subsetter(options)
    subsetter.populate(glyphs=kept.values(), unicodes=[ord(letter) for letter in LETTERS])
    subsetter.subset(font)
    FOLDER.mkdir(parents=True, exist_ok=True)
    font.flavor = "woff2"
    font.save(FOLDER / FONT)
    shutil.copy(source / "LICENSE", FOLDER)
    (FOLDER / "icons.txt").write_text("\n".join(sorted(kept)) + "\n")
    size = (FOLDER / FONT).stat().st_size
    sys.stdout.write(f"{len(kept)} of {len(icons)} icons, {size // 1000} kB\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
