"""Markdown of models and people is harmless HTML."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from chat.markdown import to_html

HARMLESS_TAGS = {
    "p", "br", "h1", "em", "strong", "a", "code", "pre",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


class Elements(HTMLParser):
    """What a browser would make of it: the elements and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and *soft*", "<p><strong>bold</strong> and <em>soft</em></p>"),
        ("a\nb", "<p>a<br>\nb</p>"),
        ("`x < y`", "<p><code>x &lt; y</code></p>"),
        ("3 < 4 & 5 > 2", "<p>3 &lt; 4 &amp; 5 &gt; 2</p>"),
        ("3. three", '<ol start="3">\n<li>three</li>\n</ol>'),
        (
            "[Ebb](https://example.org)",
            '<p><a href="https://example.org" rel="noopener noreferrer nofollow">Ebb</a></p>',
        ),
        ("‏שלום‏ 🌊 你好", "<p>‏שלום‏ 🌊 你好</p>"),
    ],
)
def test_what_is_meant_is_shown(text: str, html: str) -> None:
    assert to_html(text).strip() == html


def test_a_table_is_shown() -> None:
    html = to_html("| a | b |\n|---|---|\n| 1 | 2 |")
    assert "<th>a</th>" in html
    assert "<td>2</td>" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<SCRIPT SRC=//evil.example></SCRIPT>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](java&#115;cript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:x)",
        "[x](//evil.example 'a\" onmouseover=\"alert(1)')",
        "<javascript:alert(1)>",
        "![x](https://evil.example/pixel.png)",
        "![x](javascript:alert(1))",
        "[x]: javascript:alert(1)\n\n[x]",
        "```html\n<script>alert(1)</script>\n```",
        "<style>body{display:none}</style>",
        "<iframe src=https://evil.example></iframe>",
        "<form action=/logout method=post><button>x",
        "<div hx-get=/x hx-trigger=load>",
        "# <b onclick=alert(1)>title</b>",
        "<!-- --><script>alert(1)</script>",
        "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=y> |",
    ],
)
def test_nothing_can_act(text: str) -> None:
    page = Elements()
    page.feed(to_html(text))
    page.close()
    assert page.tags <= HARMLESS_TAGS
    assert {name for name, _ in page.attributes} <= {"href", "title", "rel", "class", "start"}
    for name, value in page.attributes:
        if name == "href":
            assert urlsplit(value or "").scheme in {"http", "https", "mailto", ""}
