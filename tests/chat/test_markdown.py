"""Markdown of models and people is harmless HTML."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from chat.text.markdown import to_html, to_text

HARMLESS_TAGS = {
    "p", "br", "h1", "em", "strong", "a", "code", "pre", "div", "span",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


BESIDE = 'target="_blank" rel="noopener noreferrer nofollow"'
IMAGE = f'<p><a href="https://a.example/cat.png" {BESIDE}>{{}}</a></p>'


class Elements(HTMLParser):
    """The elements and attributes that a browser would make of a text."""

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
            f'<p><a href="https://example.org" {BESIDE}>Ebb</a></p>',
        ),
        (
            "见https://example.org/a_b。README.md, a@b.org",
            f'<p>见<a href="https://example.org/a_b" {BESIDE}>https://example.org/a_b</a>'
            "。README.md, a@b.org</p>",
        ),
        (
            "(http://a.example/B_(c)).",
            f'<p>(<a href="http://a.example/B_(c)" {BESIDE}>http://a.example/B_(c)</a>).</p>',
        ),
        (
            "javascript:x //a.example ftp://b.example",
            "<p>javascript:x //a.example ftp://b.example</p>",
        ),
        (
            "a|b\n-|-:\n1|2",
            '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n'
            '<tbody>\n<tr>\n<td>1</td>\n<td align="right">2</td>\n</tr>\n</tbody>\n</table>',
        ),
        ("~~no~~", "<p><s>no</s></p>"),
        ("![a *cat*](https://a.example/cat.png)", IMAGE.format("a *cat*")),
        ("![](https://a.example/cat.png)", IMAGE.format("https://a.example/cat.png")),
        ("![<b>](https://a.example/cat.png)", IMAGE.format("&lt;b&gt;")),
        ("![cat][1]\n\n[1]: https://a.example/cat.png", IMAGE.format("cat")),
        (
            "[![<i>cat](https://a.example/cat.png) here](https://b.example)",
            f'<p><a href="https://b.example" {BESIDE}>&lt;i&gt;cat here</a></p>',
        ),
        ("![x](data:image/png;base64,AA)", f"<p><a {BESIDE}>x</a></p>"),
        ("‏שלום‏ 🌊 你好", "<p>‏שלום‏ 🌊 你好</p>"),
    ],
)
def test_what_is_meant_is_shown(text: str, html: str) -> None:
    assert to_html(text).strip() == html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "```python\ndef f(): return 1  # <b>\n```",
            '<div class="code"><span class="code-language">python</span><pre><code>'
            '<span class="code-keyword">def</span> <span class="code-name">f</span>(): '
            '<span class="code-keyword">return</span> <span class="code-number">1</span>  '
            '<span class="code-comment"># &lt;b&gt;</span>\n</code></pre></div>',
        ),
        (
            "```nolanguage\nx = <b>\n```",
            '<div class="code"><span class="code-language">nolanguage</span><pre><code>'
            "x = &lt;b&gt;\n</code></pre></div>",
        ),
        ("    x = 1", '<div class="code"><pre><code>x = 1\n</code></pre></div>'),
    ],
)
def test_code_names_its_language_and_is_coloured(text: str, html: str) -> None:
    assert to_html(text).strip() == html


def test_long_code_stays_plain() -> None:
    assert "code-keyword" in to_html("```python\n" + "return\n" * 2_000 + "```")
    assert "code-keyword" not in to_html("```python\n" + "return\n" * 4_000 + "```")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("# **Trip** to `x`\nand [Porto](https://a.example)", "Trip to x and Porto"),
        ("1. Buy milk\n2. eggs & <b>", "Buy milk eggs & <b>"),
        ("```python\nx = 1\n```", "x = 1"),
        ("2 * 3 is snake_case", "2 * 3 is snake_case"),
        ("---", ""),
    ],
)
def test_a_title_has_no_marks(text: str, plain: str) -> None:
    assert to_text(text) == plain


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
        "![<img src=x onerror=alert(1)>](https://evil.example/p.png)",
        "[![<img src=x onerror=alert(1)>](https://evil.example/p.png)](https://evil.example)",
        "![x](https://evil.example/p.png 'a\" onload=\"alert(1)')",
        '![x](https://evil.example/p.png"onerror=alert(1))',
        "```js onclick=alert(1)\nx\n```",
        '```"><img src=x>\nx\n```',
        "<a href=x style=position:fixed>",
        "[x](https://evil.example){onclick=alert(1)}",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "<math><mtext></p><img src=x onerror=alert(1)>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
    ],
)
def test_nothing_can_act(text: str) -> None:
    page = Elements()
    page.feed(to_html(text))
    page.close()
    assert page.tags <= HARMLESS_TAGS
    harmless = {"href", "title", "rel", "target", "class", "start"}
    assert {name for name, _ in page.attributes} <= harmless
    for name, value in page.attributes:
        if name == "target":
            assert value == "_blank"
        if name == "href":
            assert urlsplit(value or "").scheme in {"http", "https", "mailto", ""}


@pytest.mark.parametrize(
    "text",
    [
        *("[" * 20_000, "![" * 10_000, "[a](" * 5_000, ">" * 20_000, "- " * 10_000, "*a" * 10_000),
        *("https://a.example/ " * 1_000, "http:" * 4_000, "https://a" + "(a" * 10_000),
        *("`" * 20_000, "".join("`" * n + " " for n in range(190)), "<" * 20_000, "|" * 20_000),
        *("a|b\n-|-\n" + "x\n" * 9_000, "|" * 900 + "\n" + "|-" * 900 + "\n" + "x\n" * 8_000),
    ],
    ids=lambda text: text[:8],
)
def test_what_is_made_to_take_long_does_not(text: str) -> None:
    assert to_html(text)
