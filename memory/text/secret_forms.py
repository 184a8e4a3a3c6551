"""The forms of secrets: issued keys, announced passwords and codes, numbers with check digits.

Keys have the forms that their issuers document. A password must be announced as one. No repetition
is without a limit, so that no text makes a pattern slow (tests/config/test_patterns.py).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.text import secret_ids as ids
from memory.text import secret_keys as keys
from memory.text import secret_labels as labels
from memory.text import secret_numbers as numbers
from memory.text import secret_values as values


@dataclass(frozen=True)
class Secret:
    """A form of secret. Only the group `value` is masked, if the pattern has one.

    `measure` returns how many of the found characters are the secret; 0 for a lookalike.
    """

    name: str
    pattern: re.Pattern[str]
    measure: Callable[[str], int] = len


def _compiled(pattern: str) -> re.Pattern[str]:
    # ASCII: a Chinese character next to a number is not part of it.
    return re.compile(pattern, re.ASCII | re.IGNORECASE | re.DOTALL)


# A variable, as in "$SECRET" and "{{ password }}", or a password that is hidden already.
_PLACEHOLDER = re.compile(r"\$[\w{(].*|\{\{.*|%[\w(].*|([*•.x_-])\1+", re.IGNORECASE | re.DOTALL)
_NO_RANDOM_WORD = re.compile(labels.NO_RANDOM_WORD, re.IGNORECASE)


def _password(value: str) -> int:
    """Return the length of a word announced as a password; 0 if it cannot be one."""
    plain = value.strip("\"'`“”‘’")
    word = plain.casefold().rstrip(".,;!?")
    unlikely = len(plain) < 3 or word in labels.NO_PASSWORD or word.endswith(labels.OPINIONS)
    return 0 if unlikely or _PLACEHOLDER.fullmatch(plain) else len(value)


def _mixed(value: str) -> int:
    """Return the length of a word of letters and digits; 0 for others, and for "SHA256"."""
    kinds = (str.isalpha, str.isdigit)
    mixed = len(value) >= 6 and all(any(map(kind, value)) for kind in kinds)
    return _password(value) if mixed and not _NO_RANDOM_WORD.fullmatch(value) else 0


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
    """Return the length of a random run: no hash in hexadecimal, no words with a number."""
    runs = len(re.findall(r"\d+", value))
    return len(value) if runs >= 4 and re.search("[g-zG-Z].*[g-zG-Z].*[g-zG-Z]", value) else 0


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
    Secret(
        "token",
        _compiled(
            r"\b(?:bearer|basic|authorization: token)\s{1,9}(?![a-z]{1,30}\d{0,9}(?:\s|$))"
            r"(?P<value>[\w.~+/-]{16,4000}={0,2})"
        ),
        _random,
    ),
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
    Secret(
        "code",
        _compiled(
            rf"(?:{labels.UNLOCKS} |{labels.LOCKS}{labels.FOR}\s?[:=]\s?)"
            rf"(?P<opens>{values.CODE}[#*]?)(?![\w-])"
            rf"|(?:{labels.CODES}){labels.FOR}(?:{labels.IS})?\s?(?P<value>{values.CODE}(?:[#*]|\b))"
            r"|(?P<before>\b(?:[A-Z]-)?(?:\d{4,8}|\d{3}[ -]\d{3}))"
            r"(?= (?:is|as|ist|als|est|es) (?:your|my|the|ihre?|deine?|votre|tu|su) [\w ]{0,30}"
            r"(?:code|código|pin|tan)\b)"
            r"|\b(?:use|enter|utilisez|saisissez|usa|introduce) (?P<used>\d{4,8}|\d{3}[ -]\d{3})"
            r"(?= (?:to|pour|para) (?:verify|confirm|log|sign|v[ée]rifi|valid|connect|inici))"
            rf"|{labels.ANY_CODE}{labels.FOR}{labels.IS}(?P<any>{values.CODE}[#*]?){values.CLAUSE_ENDS}"
        ),
    ),
    Secret(
        "code",
        _compiled(
            rf"{labels.PIN}{labels.FOR}{labels.IS}(?P<value>\d{{3,8}})\b"
            r"(?!\s?(?:mm|cm|st|x|inch|digit))"
            rf"|{labels.PIN}(?:{labels.FOR}|\s[^\s\d.,;:]{{1,12}})\s?(?P<next>(?<!\d){values.NO_YEAR}\d{{3,8}})"
            rf"(?!\d){values.CLAUSE_ENDS}"
        ),
    ),
    Secret(
        "password",
        _compiled(
            rf"\bapp(?:-specific)? password{labels.FOR}{labels.IS}"
            r"(?P<app>[a-z]{4}(?:[ -][a-z]{4}){3})\b"
            rf"|(?:{labels.ANNOUNCED})(?:{labels.FOR}{labels.IS}|'s )"
            rf"(?P<value>{values.QUOTED}|{values.UNLIKE_A_WORD}|{values.ALONE})"
        ),
        _password,
    ),
    Secret(
        "password",
        _compiled(
            rf"(?:{labels.ABROAD}|{labels.NETWORK}){labels.FOR}{labels.IS}"
            rf"(?P<value>{values.QUOTED}|{values.UNLIKE_A_WORD})"
            rf"|{labels.ANSWER}{labels.FOR}{labels.IS}(?P<answer>(?-i:[A-Z0-9])[^\n.!?]{{1,60}})"
        ),
        _password,
    ),
    Secret(
        "password",
        _compiled(
            rf"(?:{labels.ANNOUNCED}|{labels.ABROAD})"
            rf"(?:\s(?P<quoted>{values.QUOTED})|{labels.GAP}{values.UNITS}"
            rf"(?:(?P<value>{values.WORD}){values.CLAUSE_ENDS}|(?P<sign>{values.WITH_SIGN})))"
            r"|\b(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass|redis-cli)\b[^\n]{0,80}?\s-[pa]\s?"
            rf"(?P<flag>{values.QUOTED}|{values.WORD})"
            r"|\b(?:log-?in|credentials|account|zugangsdaten|identifiants|账号)"
            r"(?:\s?[:：]|\s(?:is|are|ist|sind|est|es|è)(?=\s)|(?=\s[^\s@/]{1,60}@))\s?[^\s/]{2,60}"
            rf"\s?/\s?(?P<login>{values.WORD})"
            rf"|\b(?:{labels.USERS})\s?[/|]\s?(?=[^\s/]{{0,40}}\d[^\s/]{{0,40}}(?!\S))(?P<pair>{values.WORD})"
            rf"|{labels.LOCKED} (?=\S{{0,40}}\d)(?P<locked>{values.WORD})"
            rf"|{labels.NETWORK}\s(?P<network>{values.WORD}){values.CLAUSE_ENDS}"
        ),
        _mixed,
    ),
    Secret(
        "password",
        _compiled(
            rf"(?:{labels.ANNOUNCED}|{labels.ABROAD})\s?[,，]\s?(?P<comma>{values.WORD})"
            rf"(?:{values.CLAUSE_ENDS}|(?=\s[-–—]\s))"
            rf"|(?:{labels.ANNOUNCED}|{labels.ABROAD})[^\n.:：;!?？]{{0,60}}[:：?？](?!//)\s?"
            rf"(?P<colon>{values.WORD}){values.CLAUSE_ENDS}"
            rf"|(?:{labels.ANNOUNCED}|{labels.ABROAD})[^\n]{{0,60}}?\s(?P<strong>{values.STRONG})"
            rf"|{labels.WIFI}{labels.FOR}{labels.IS}(?P<wifi>{values.WORD}){values.CLAUSE_ENDS}"
            rf"|\b(?:admin|root)\s(?P<admin>{values.STRONG})"
        ),
        _mixed,
    ),
    Secret(
        "password",
        _compiled(
            r"\b(?:log|sign)(?:s|ged|ned)?[ -]?(?:in|on|into|onto)\b[^\n.,;!?]{0,40}?"
            rf"\s(?:with|as|using) [^\s,/]{{2,60}} (?:and|with|/) (?P<into>{values.WORD})"
            rf"|{labels.UNLOCKS} (?P<unlocks>{values.WORD})"
            r"|\b(?:type|enter|use|put|try|with|tippe?|nimm|mit|tape|saisis|avec|escribe|usa|con) "
            rf"(?P<typed>{values.STRONG})"
            rf"(?=[^\n.!?]{{0,60}}(?:{labels.ANNOUNCED}|{labels.ABROAD}|{labels.ACCOUNTS}))"
            rf"|(?<![\w.+-])[\w.+-]{{1,60}}@[\w.-]{{1,60}} ?[/|] ?(?P<mail>{values.WORD})"
            rf"|(?:{labels.ANNOUNCED}|{labels.ABROAD})[^\n.,;!?。，「]{{0,10}}(?P<kagi>「[^」\n]{{3,80}}」)"
        ),
        _mixed,
    ),
    Secret(
        "password",
        re.compile(
            r"\b[A-Z][A-Z0-9_]{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|KEY)"
            rf"=(?P<value>{values.QUOTED}|{values.WORD})"
        ),
        _mixed,
    ),
    Secret(
        "password",
        _compiled(
            r"(?<!\S)(?P<value>(?=\S{0,40}\d)[^\s\"'<>\[\]]{6,40}?)"
            r"(?=(?: is| as|,? that's| [—–-])(?: my| the| our| a)? (?:[a-z-]{1,20} ){0,3}"
            r"(?:password|passcode|pin)\b)"
        ),
        _mixed,
    ),
    Secret(
        "key",
        _compiled(
            rf"(?:{labels.KEY}){labels.FOR}{labels.IS}[\"'`]?(?P<value>[\w.+/~-]{{8,300}}={{0,2}})"
            rf"|(?:{labels.KEY})[^\n.,;!?]{{0,40}}?\s(?P<hex>0x[0-9a-f]{{64}})\b"
            r"|\b(?:pk|priv(?:ate)?[ _-]?key)\b[^\n.,;!?\d]{0,20}(?P<pk>(?:0x)?[0-9a-f]{64})\b"
            rf"|(?:{labels.KEY})\s(?P<next>[\w.+/~-]{{16,300}}={{0,2}})(?![\w])"
        ),
        _random,
    ),
    Secret(
        "key",
        _compiled(
            rf"(?:{labels.ANY_KEY}){labels.FOR}{labels.IS}(?:0x)?(?P<value>(?![0-9a-f]{{8}}-)"
            r"(?=[^\s]{0,20}\d)(?=[^\s]{0,20}[a-z])[\w+/~-]{24,300}={0,2})(?![\w])"
        ),
    ),
    Secret(
        "key",
        _compiled(
            rf"(?:{labels.KEY})[^\n]{{0,60}}?(?:[:=→]|\bis|\bist|\best|\bes|是)"
            r"\s{0,2}(?P<value>[A-Za-z0-9+/]{32,200}={0,2})(?![\w./+-])"
        ),
        _without_meaning,
    ),
    Secret(
        "key",
        _compiled(rf"{labels.ISSUERS}[\s:=→](?P<value>[\w+/-]{{20,200}}={{0,2}})(?![\w./+-])"),
        _issued,
    ),
    Secret(
        "key",
        re.compile(
            r"\b(?:[Tt][Oo][Tt][Pp]|[OoMm2][TtFf][PpAa])\b[^\n.,;:]{0,20}[ :=]{1,3}"
            r"(?P<value>(?=[A-Z]{0,15}[2-7])[A-Z2-7]{16,64})\b"
        ),
    ),
    Secret(
        "key",
        re.compile(r"(?<![\w./=+:-])[A-Za-z0-9]{32,200}(?![\w./=+:-])", re.ASCII),
        _without_meaning,
    ),
    Secret(
        "recovery phrase",
        _compiled(
            rf"(?:{labels.PHRASE}{labels.FOR}(?:{labels.IS}|\s)"
            rf"|{labels.OTHER_PHRASE}{labels.FOR}{labels.IS})"
            r"(?P<value>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"
        ),
    ),
    Secret("IBAN", re.compile(numbers.IBAN, re.ASCII), numbers.iban),
    Secret("card number", re.compile(numbers.CARD, re.ASCII), numbers.card),
    Secret("card number", re.compile(numbers.CARD_UNGROUPED, re.ASCII), numbers.card),
)
