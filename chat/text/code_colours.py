"""Colours the code of a reply: Pygments finds the words, the stylesheet colours each kind."""

from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from django.utils.html import escape
from pygments import lex
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String, Token, _TokenType
from pygments.util import ClassNotFound

MOST = 20_000
"""Characters. Longer code stays plain, because colouring it would delay the page."""
_KINDS: dict[_TokenType, str] = {
    Keyword: "code-keyword",
    String: "code-string",
    Comment: "code-comment",
    Number: "code-number",
    Name.Function: "code-name",
    Name.Class: "code-name",
    Name.Tag: "code-name",
    Name.Attribute: "code-name",
    Name.Builtin: "code-name",
}
CLASSES = frozenset(_KINDS.values())
"""The classes of the coloured words."""


def coloured(code: str, language: str) -> str:
    """Return the code as escaped HTML, its words in <span> elements; plain for a language that
    Pygments does not know."""
    lexer = _lexer(language) if language and len(code) <= MOST else None
    if lexer is None:
        return str(escape(code))
    words = ((_class_of(kind), text) for kind, text in lex(code, lexer))
    runs = groupby(words, key=itemgetter(0))
    return "".join(_run(name, "".join(text for _, text in run)) for name, run in runs)


@lru_cache(maxsize=100)
def _lexer(language: str) -> Lexer | None:
    try:
        # Neither adds nor removes a line: the code is shown exactly as written.
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _class_of(kind: _TokenType) -> str:
    """Return the class of a kind of word or of the kind above it; "" for plain text."""
    while kind is not Token and kind not in _KINDS:
        kind = kind.parent or Token
    return _KINDS.get(kind, "")


def _run(name: str, text: str) -> str:
    return f'<span class="{name}">{escape(text)}</span>' if name else str(escape(text))
