"""Secrets with a recognisable form: issued keys, URLs with a password, card numbers.

Keys have the forms that their issuers document. `announced` finds the secrets that only the words
beside them reveal. Every repetition has a limit, so that no text makes a pattern slow
(tests/config/test_patterns.py).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.text.secrets import ids, keys, labels, looks, numbers, phrases
from memory.text.secrets.looks import Found


@dataclass(frozen=True)
class Secret:
    """A form of secret. Only the group `value` is masked, if the pattern has one.

    `measure` returns how many of the found characters are the secret; 0 for a lookalike.
    """

    name: str
    pattern: re.Pattern[str]
    measure: Callable[[str], int] = len

    def found(self, text: str) -> list[Found]:
        """Return the secrets of this form in the text, in their order."""
        found: list[Found] = []
        for match in self.pattern.finditer(text):
            groups = [name for name, value in match.groupdict().items() if value is not None]
            start, end = match.span(groups[0] if groups else 0)
            length = self.measure(text[start:end])
            if length and (not found or start >= found[-1].end):
                found.append(Found(start, start + length, self.name))
        return found


def _compiled(pattern: str) -> re.Pattern[str]:
    # ASCII: a Chinese character next to a number is not part of it.
    return re.compile(pattern, re.ASCII | re.IGNORECASE | re.DOTALL)


def _mixed(value: str) -> int:
    """Return the length of a word of letters and digits; 0 for others, and for "SHA256"."""
    return len(value) if looks.look_of(value) in looks.MIXED else 0


def _random(value: str) -> int:
    return len(value) if len(value) >= 8 and any(one.isdigit() for one in value) else 0


def _looks_random(value: str) -> int:
    """Return the length of a key: capitals, small letters and digits change often, unlike in words
    that `-` or `_` joins."""
    kinds = (str.isupper, str.islower, str.isdigit)
    shape = "".join(
        str([kind(one) for kind in kinds].index(True)) for one in value if one.isalnum()
    )
    changes = len(re.findall(r"(.)(?!\1)(?=.)", shape))
    return len(value) if len(set(shape)) == 3 and changes >= len(shape) / 3 else 0


def _issued(value: str) -> int:
    """Return the length of a value after an issuer's name, if it is random or in hexadecimal."""
    hexadecimal = len(value) >= 32 and set(value) <= set("0123456789abcdef")
    return len(value) if hexadecimal else _looks_random(value)


def _without_meaning(value: str) -> int:
    """Return the length of a random run; 0 for a hexadecimal hash or for words with a number."""
    runs = len(re.findall(r"\d+", value))
    return len(value) if runs >= 4 and re.search("[g-zG-Z].*[g-zG-Z].*[g-zG-Z]", value) else 0


_QUOTED = r"\"[^\"\n]{3,80}\"|'[^'\n]{3,80}'|`[^`\n]{3,80}`|“[^”\n]{3,80}”"
# Atomic, without a retry for each shorter word, which made texts like "pass:pass:" slow.
_WORD = r"(?>[^\s\"'`“”<>\[\]\u3000-\u9fff\uff00-\uffef]{3,80}(?<![.,;:!?)]))"
# A word with a letter, a digit and a sign before another character. Excludes addresses, calls and
# subscripts, as in `password = getpass("…")` and `secrets["…"]`.
_STRONG = (
    r"(?![A-Za-z_][\w.]{0,60}(?:\((?:\)|\w{0,30}[\"'=])|\[[\"']))"
    r"(?=[^\s@]{1,40}[#$%&!*+=~^]\w|[^\s@]{1,40}@\w{1,40}(?![\w.]))(?=\S{0,40}\d)(?=\S{0,40}[a-z])"
    rf"{_WORD}"
)
# "Is Marmalade1987 strong enough?"
_CHOSEN = r"[A-Za-z][\w.#!+-]{2,30}\d[\w!]{0,4}"
_ANY_PASSWORD = f"{labels.words('password')}|{labels.words('foreign_password')}"
_ISSUER = rf"{labels.words('issuer')}(?:(?!{labels.words('open_id')})[^\n]){{0,40}}?"

SECRETS = (
    Secret("private key", re.compile(keys.PRIVATE_KEY, re.DOTALL)),
    Secret("key", re.compile(rf"(?<![\w-])(?:{'|'.join(keys.KEYS)})(?![\w-])", re.ASCII)),
    Secret("key", _compiled(keys.ADDRESSES)),
    Secret(
        "key",
        re.compile(
            r"(?<![\w./-])(?!sha\d{1,3}-|"
            + keys.ID_PREFIXES
            + r")[A-Za-z]\w{1,11}[_-][\w-]{28,200}(?![\w-])",
            re.ASCII,
        ),
        _looks_random,
    ),
    # "Authorization: Bearer …"
    Secret(
        "token",
        _compiled(
            r"\b(?:bearer|basic|authorization: token)\s{1,9}(?![a-z]{1,30}\d{0,9}(?:\s|$))"
            r"(?P<value>[\w.~+/-]{16,4000}={0,2})"
        ),
        _random,
    ),
    # "redis://:hunter2@host", "curl -u bob:hunter2", a QR code's wifi, XML
    Secret(
        "password",
        _compiled(
            r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:"
            r"(?!pass(?:word)?@)(?P<value>[^\s/@]{1,200})@"
            r"|\s(?:-u|--user)[ =][\"']?[^\s:'\"]{1,60}:(?P<user>[^\s'\"]{3,80})"
            r"|\bWIFI:(?:[^\s;:]:[^\n;]{0,60};){0,4}P:(?P<wifi>[^\n;]{3,80});"
            r"|<(?:password|passwd|pwd|secret|token|api_?key)>(?P<tag>[^<>\s]{3,80})<"
        ),
    ),
    Secret("ID number", _compiled(ids.ANNOUNCED), ids.announced),
    Secret("ID number", _compiled(ids.UNANNOUNCED), ids.unannounced),
    # "Use 482913 to verify", "is 1234 a good PIN", "731 904 ist Ihre TAN"
    Secret(
        "code",
        _compiled(
            r"\b(?:use|enter|utilisez|saisissez|usa|introduce) (?P<used>\d{4,8}|\d{3}[ -]\d{3})"
            r"(?= (?:to|pour|para) (?:verify|confirm|log|sign|v[ée]rifi|valid|connect|inici))"
            r"|\bis (?P<asked>\d{4,8})(?= (?:a|my|the) [\w ]{0,20}(?:code|passcode|pin)\b)"
            r"|(?P<before>\b(?:[A-Z]-)?(?:\d{4,8}|\d{3}[ -]\d{3}))"
            r"(?= (?:is|as|ist|als|est|es) (?:your|my|the|ihre?|deine?|votre|tu|su) [\w ]{0,30}"
            r"(?:code|código|pin|tan)\b)"
        ),
    ),
    # "app password: abcd efgh ijkl mnop", answers to security questions
    Secret(
        "password",
        _compiled(
            rf"(?:\bapp(?:-specific)? |_|\b)password{labels.FOR}{labels.IS}"
            r"(?P<app>[a-z]{4}(?:[ -][a-z]{4}){3})\b"
            rf"|{phrases.ANSWER}"
        ),
    ),
    # "mysql -u root -phunter2", "login: bob / hunter2", "bob@example.org / hunter2"
    Secret(
        "password",
        _compiled(
            r"\b(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass|redis-cli)\b[^\n]{0,80}?\s-[pa]\s?"
            rf"(?P<flag>{_QUOTED}|{_WORD})"
            r"|\b(?:log-?in|credentials|account|zugangsdaten|identifiants|账号)"
            r"(?:\s?[:：]|\s(?:is|are|ist|sind|est|es|è)(?=\s)|(?=\s[^\s@/]{1,60}@))\s?[^\s/]{2,60}"
            rf"\s?/\s?(?P<login>{_WORD})"
            rf"|\b(?:{labels.words('user')})\s?[/|]\s?(?=[^\s/]{{0,40}}(?:\d|-[^\s/-]{{1,20}}-)[^\s/]{{0,40}}(?!\S))(?P<pair>{_WORD})"
            r"|(?:密码|口令|密碼)[^\n，。]{0,6}?[:：是为]\s?(?P<cjk>[\u4e00-\u9fff]{2,12}\d{2,8})"
            rf"|\b(?:admin|root)\s(?P<admin>{_STRONG})"
            r"|\b(?:log|sign)(?:s|ged|ned)?[ -]?(?:in|on|into|onto)\b[^\n.,;!?]{0,40}?"
            rf"\s(?:with|as|using) [^\s,/]{{2,60}} (?:and|with|/) (?P<into>{_WORD})"
            r"|\b(?:type|enter|use|put|try|with|tippe?|nimm|mit|tape|saisis|avec|escribe|usa|con) "
            rf"(?P<typed>{_STRONG})"
            rf"(?=[^\n.!?]{{0,60}}(?:{_ANY_PASSWORD}|{labels.words('account')}))"
            r"|(?<![\w.+-])[\w.+-]{1,60}@[\w.-]{1,60}(?: ?[/|,] ?| (?:and|und|et|y|e|en|with|mit) )"
            rf"(?P<mail>{_WORD})"
        ),
        _mixed,
    ),
    # "DB_PASSWORD=hunter2"
    Secret(
        "password",
        re.compile(
            r"\b[A-Z][A-Z0-9_]{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|KEY)"
            rf"=(?P<value>{_QUOTED}|{_WORD})"
        ),
        _mixed,
    ),
    # "private key of the wallet 0x…"
    Secret(
        "key",
        _compiled(
            r"\b(?:pk|priv(?:ate)?[ _-]?key)\b[^\n]{0,60}?[\s:=](?P<pk>(?:0x)?[0-9a-f]{64})\b"
        ),
    ),
    Secret(
        "key",
        _compiled(
            rf"{labels.words('key')}[^\n]{{0,60}}?(?:[:=→]|\bis|\bist|\best|\bes|是)"
            r"\s{0,2}(?P<value>[A-Za-z0-9+/]{32,200}={0,2})(?![\w./+-])"
        ),
        _without_meaning,
    ),
    # "mailchimp 的 key 是 …", "cohere trial …"
    Secret(
        "key",
        _compiled(rf"{_ISSUER}[\s:=→](?P<value>[\w+/-]{{20,200}}={{0,2}})(?![\w./+-])"),
        _issued,
    ),
    # A random run alone
    Secret(
        "key",
        re.compile(r"(?<![\w./=+:-])[A-Za-z0-9]{32,200}(?![\w./=+:-])", re.ASCII),
        _without_meaning,
    ),
    Secret(
        "password",
        _compiled(
            rf"\b(?:is|would|ist|wäre|est-ce que|es|is dat|è) (?P<rated>{_CHOSEN})"
            r"(?=[^\n.,;?]{0,30}? (?:strong|safe|secure|good|sicher|stark|s[ûu]re?|segur[ao]"
            r"|sicur[ao]|als (?:kenn|pass)wort))"
            rf"|\b(?:te parece segur[ao]|me conviene) (?P<segura>{_CHOSEN})"
            rf"|\bus(?:es?|ed|ing) (?P<everywhere>{_CHOSEN}) (?:for|on|as) (?:everything|all|every)"
        ),
        _mixed,
    ),
    Secret("password", _compiled(phrases.PASSPHRASE)),
    Secret("recovery phrase", re.compile(phrases.PHRASE, re.IGNORECASE)),
    Secret("key", re.compile(phrases.SETUP_KEY)),
    Secret("IBAN", re.compile(numbers.IBAN, re.ASCII), numbers.iban),
    Secret("card number", re.compile(numbers.CARD, re.ASCII), numbers.card),
    Secret("card number", re.compile(numbers.CARD_UNGROUPED, re.ASCII), numbers.card),
)
