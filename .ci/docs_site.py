"""MkDocs hook: pages that live outside docs/ become pages of the site, with their links mended."""

import re
from os.path import relpath
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "LICENSE": "license.md",
    "clients/python/README.md": "python-client.md",
    "clients/typescript/README.md": "typescript-client.md",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add each of PAGES under its name on the site."""
    for path, name in PAGES.items():
        text = (ROOT / path).read_text("utf-8")
        files.append(File.generated(config, name, content=_on_site(text, Path(path).parent)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Point links from docs/ to the pages above at their place on the site."""
    return _on_site(markdown, Path("docs", page.file.src_uri).parent)


def _on_site(text: str, folder: Path) -> str:
    top = not folder.is_relative_to("docs")  # a page of PAGES, all of which are at the site's top

    def mended(found: re.Match[str]) -> str:
        before, target = found.groups()
        path = (ROOT / folder / target).resolve()
        if not path.is_relative_to(ROOT):
            return found.group()
        inside = path.relative_to(ROOT).as_posix()
        on_site = PAGES.get(inside, inside.removeprefix("docs/"))
        return before + on_site if top else before + relpath(on_site, folder.relative_to("docs"))

    return re.sub(r'(\]\(|(?:src|srcset|href)=")(?!https?:|#|mailto:)([^)#"\s]+)', mended, text)
