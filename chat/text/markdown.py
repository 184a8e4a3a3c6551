"""Renders Markdown from models and people as safe HTML.

Raw HTML becomes text. Images become links, because fetching one would reveal that it was read.
Links and bare addresses open in a new tab without a referrer. Code blocks are coloured and name
their language. The output is also sanitised: both parser and sanitiser would have to fail.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import nh3
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from chat.text.code_colours import CLASSES, coloured

_TAGS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "div", "span",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "th": {"align"},
    "td": {"align"},
}
_CLASSES = {"div": {"code"}, "span": {"code-language", *CLASSES}}


_LONGEST_LANGUAGE = 20  # characters


class _Renderer(RendererHTML):
    """Renders images as links, code blocks in colour, and column alignment as an attribute because
    styles are forbidden.
    """

    def th_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Align a column by an attribute, because inline styles are forbidden."""
        cell = tokens[idx]
        if style := cell.attrs.pop("style", ""):
            cell.attrs["align"] = str(style).removeprefix("text-align:")
        return self.renderToken(tokens, idx, options, env)

    td_open = th_open

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Render an image as a link: loading it would tell its server who reads."""
        image = tokens[idx]
        address = str(image.attrs.get("src", ""))
        words = image.content or address
        # A nested link would end the outer one.
        is_linked = sum(t.nesting for t in tokens[:idx] if t.type.startswith("link_")) > 0
        return escape(words) if is_linked else format_html('<a href="{}">{}</a>', address, words)

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """Render a block of code in colours, under the name of its language."""
        block = tokens[idx]
        language = block.info.strip().partition(" ")[0][:_LONGEST_LANGUAGE]
        named = f'<span class="code-language">{escape(language)}</span>' if language else ""
        code = coloured(block.content, language)
        return f'<div class="code">{named}<pre><code>{code}</code></pre></div>\n'

    code_block = fence


# A bare address: only with http:// or https:// (not README.md), in the characters of RFC 3986, so
# that Chinese text after it is not part of its path, and without a final full stop.
_ADDRESS = re.compile(
    r"^//\w(?:[\w.~:/?#@!$&'*+,;=%-]|\([\w.,-]*\))*(?:(?<=[\w/=&#~%+-])|(?<=\)))", re.ASCII
)


def _parser() -> MarkdownIt:
    parser = MarkdownIt(
        "commonmark", {"html": False, "breaks": True, "linkify": True}, renderer_cls=_Renderer
    )
    addresses = LinkifyIt(
        {"http:": {"validate": _ADDRESS}, "ftp:": None, "mailto:": None, "//": None}
    )
    addresses.set({"fuzzy_link": False, "fuzzy_email": False})
    parser.linkify = addresses
    return parser.enable(["table", "strikethrough", "linkify"])


_PARSER = _parser()


def to_html(text: str) -> SafeString:
    """Return the text as safe HTML for a page."""
    rendered = _PARSER.render(text)
    clean = nh3.clean(
        rendered,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        set_tag_attribute_values={"a": {"target": "_blank"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(clean)  # noqa: S308 - cleaned in the line above


def last_block(text: str) -> int:
    """Return the line, counted from 0, at which the text's last block begins; 0 if it is empty."""
    starts = [token.map[0] for token in _PARSER.parse(text) if token.map and token.level == 0]
    return max(starts, default=0)


def to_text(text: str) -> str:
    """Return the text without its marks, on one line: "**Trip** to `x`" gives "Trip to x"."""
    blocks = ("".join(_words(block)) for block in _PARSER.parse(text))
    return " ".join(" ".join(blocks).split())


def _words(block: Token) -> Iterator[str]:
    for part in block.children or [block]:
        yield " " if part.type.endswith("break") else part.content
