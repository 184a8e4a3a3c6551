"""The text of a Markdown document without its marks, as memories and pages show it."""

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def plain_text(markdown: str) -> str:
    """Return the text in paragraphs. A heading keeps a #; each item of a list is a paragraph, and
    each table a paragraph of rows."""
    return "\n\n".join(_paragraphs(_PARSER.parse(markdown)))


def _paragraphs(tokens: Sequence[Token]) -> Iterator[str]:
    rows: list[list[str]] = []
    mark = ""
    for token in tokens:
        match token.type:
            case "heading_open":
                mark = "# "
            case "tr_open":
                rows.append([])
            case "table_close":
                yield "\n".join(", ".join(filter(None, row)) for row in rows)
                rows = []
            case "inline" if rows:
                rows[-1].append(_words(token))
            case "inline":
                yield mark + _words(token)
                mark = ""
            case "fence" | "code_block":
                yield token.content.strip("\n")


def _words(block: Token) -> str:
    parts = block.children or []
    return "".join("\n" if part.type.endswith("break") else part.content for part in parts)
