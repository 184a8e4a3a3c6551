"""Markdown from models and people, made harmless.

Raw HTML is shown as text, images are not fetched from strangers, and what comes out is cleaned
once more: the parser and the cleaner would both have to fail.
"""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_PARSER = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable("image")
_TAGS = {
    "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def to_html(text: str) -> SafeString:
    """The text as HTML that can be put into a page."""
    rendered = _PARSER.render(text)
    clean = nh3.clean(
        rendered,
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}, "code": {"class"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(clean)  # noqa: S308 - cleaned in the line above
