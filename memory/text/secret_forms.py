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
    unlikely = len(plain) < 3 or plain.casefold().rstrip(".,;!?") in labels.NO_PASSWORD
    return 0 if unlikely or _PLACEHOLDER.fullmatch(plain) else len(value)


def _mixed(value: str) -> int:
    """Return the length of a word of letters and digits; 0 for others, and for "SHA256"."""
    kinds = (str.isalpha, str.isdigit)
    mixed = len(value) >= 6 and all(any(map(kind, value)) for kind in kinds)
    return _password(value) if mixed and not _NO_RANDOM_WORD.fullmatch(value) else 0


def _random(value: str) -> int:
    return len(value) if len(value) >= 8 and any(one.isdigit() for one in value) else 0


def _looks_random(value: str) -> int:
    """Return the length of a prefixed key: it mixes capitals, small letters and digits."""
    kinds = (str.isupper, str.islower, str.isdigit)
    mixed = all(sum(map(kind, value)) >= 3 for kind in kinds)
    return len(value) if mixed and max(map(len, re.split("[_-]", value))) >= 24 else 0


def _without_meaning(value: str) -> int:
    """Return the length of a random run: no hash in hexadecimal, no words with a number."""
    runs = len(re.findall(r"\d+", value))
    return len(value) if runs >= 4 and re.search("[g-zG-Z].*[g-zG-Z].*[g-zG-Z]", value) else 0


_QUOTED = r"\"[^\"\n]{3,80}\"|'[^'\n]{3,80}'|`[^`\n]{3,80}`|“[^”\n]{3,80}”"
# Atomic: without another try for each shorter word, which made texts like "pass:pass:" slow.
_WORD = r"(?>[^\s\"'`“”<>\[\]\u3000-\u9fff\uff00-\uffef]{3,80}(?<![.,;:!?)]))"
_CLAUSE_ENDS = (
    r"(?=[.,;:!?)]{0,3}(?:\s{0,9}$|\s{0,9}\n|[.,;!?，。；！？]|\s{1,3}(?:and|but|for|on)\b))"
)
# No call of a function and no element, as in `password = getpass("…")` and `secrets["…"]`.
_NO_CALL = r"(?![A-Za-z_][\w.]{0,60}(?:\((?:\)|\w{0,30}[\"'=])|\[[\"']))"
# A plain word is a password only at the end of a clause: not "my password is on a note".
_ALONE = _NO_CALL + _WORD + _CLAUSE_ENDS
_UNITS = (
    r"(?![\d.]{1,9}%?\s?(?:char|letter|digit|day|year|month|hour|zeichen|stellen|caract|cifr|d[íi]git"
    r"|znak|символ|цифр|자|文字|桁|位|个))"
)
_UNLIKE_A_WORD = rf"{_NO_CALL}(?=[^\s]{{0,80}}[\d@#$%^&*_+=~!]){_UNITS}{_WORD}"
# A word with a sign within is a password even before further words.
_WITH_SIGN = rf"(?=[^\s.]{{1,40}}[@#$%&+_!*][^\s]){_WORD}"
_ONE_CODE = (
    r"[A-Z]{1,2}-?\d{4,8}|(?=[\dA-F]{4,8}\b)\d{1,4}[A-F]\d{1,4}"
    r"|(?=[a-z-]{0,5}\d)[a-z0-9]{4,5}-[a-z0-9]{4,5}|\d{3}[ -]\d{3}|\d{1,2}(?:-\d{1,2}){2,4}|\d{4,8}"
)
_CODE = rf"(?:{_ONE_CODE})(?:,? (?:{_ONE_CODE})(?!\w)){{0,15}}"
_NO_YEAR = r"(?!(?:19|20)\d\d\b)"

SECRETS = (
    Secret("private key", re.compile(keys.PRIVATE_KEY, re.DOTALL)),
    Secret("key", re.compile(rf"(?<![\w-])(?:{'|'.join(keys.KEYS)})(?![\w-])", re.ASCII)),
    Secret("key", _compiled(keys.ADDRESSES)),
    Secret(
        "key",
        re.compile(
            r"(?<![\w./-])(?!sha\d{1,3}-)[A-Za-z]\w{1,11}[_-][\w-]{28,200}(?![\w-])", re.ASCII
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
    Secret("ID number", _compiled(ids.IDENTITY), ids.identity),
    Secret(
        "code",
        _compiled(
            rf"(?:{labels.UNLOCKS} |\b(?:locker|padlock|safe)\s?[:=]\s?)"
            rf"(?P<opens>{_CODE}[#*]?)(?![\w-])"
            rf"|(?:{labels.CODES}){labels.FOR}(?:{labels.IS})?\s?(?P<value>{_CODE}(?:[#*]|\b))"
            r"|(?P<before>\b(?:[A-Z]-)?(?:\d{4,8}|\d{3}-\d{3}))"
            r"(?= (?:is|as|ist|als) (?:your|my|the|ihr|dein) [\w ]{0,30}code\b)"
            rf"|{labels.ANY_CODE}{labels.FOR}{labels.IS}(?P<any>{_CODE}[#*]?){_CLAUSE_ENDS}"
        ),
    ),
    Secret(
        "code",
        _compiled(
            rf"{labels.PIN}{labels.FOR}{labels.IS}(?P<value>\d{{3,8}})\b"
            r"(?!\s?(?:mm|cm|st|x|inch|digit))"
            rf"|{labels.PIN}(?:{labels.FOR}|\s[^\s\d.,;:]{{1,12}})\s?(?P<next>(?<!\d){_NO_YEAR}\d{{3,8}})"
            rf"(?!\d){_CLAUSE_ENDS}"
        ),
    ),
    Secret(
        "password",
        _compiled(
            rf"\bapp(?:-specific)? password{labels.FOR}{labels.IS}"
            r"(?P<app>[a-z]{4}(?:[ -][a-z]{4}){3})\b"
            rf"|(?:{labels.ANNOUNCED})(?:{labels.FOR}{labels.IS}|'s )"
            rf"(?P<value>{_QUOTED}|{_UNLIKE_A_WORD}|{_ALONE})"
        ),
        _password,
    ),
    Secret(
        "password",
        _compiled(
            rf"(?:{labels.ABROAD}|{labels.NETWORK}){labels.FOR}{labels.IS}"
            rf"(?P<value>{_QUOTED}|{_UNLIKE_A_WORD})"
            rf"|{labels.ANSWER}{labels.FOR}{labels.IS}(?P<answer>(?-i:[A-Z0-9])[^\n.!?]{{1,60}})"
        ),
        _password,
    ),
    Secret(
        "password",
        _compiled(
            rf"(?:{labels.ANNOUNCED}|{labels.ABROAD})"
            rf"(?:\s(?P<quoted>{_QUOTED})|{labels.GAP}{_UNITS}"
            rf"(?:(?P<value>{_WORD}){_CLAUSE_ENDS}|(?P<sign>{_WITH_SIGN})))"
            r"|\b(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass|redis-cli)\b[^\n]{0,80}?\s-[pa]\s?"
            rf"(?P<flag>{_QUOTED}|{_WORD})"
            r"|\b(?:log-?in|credentials|account|zugangsdaten|identifiants|账号)"
            r"(?:\s?[:：]|\s(?:is|are|ist|sind|est|es|è)(?=\s)|(?=\s[^\s@/]{1,60}@))\s?[^\s/]{2,60}"
            rf"\s?/\s?(?P<login>{_WORD})"
        ),
        _mixed,
    ),
    Secret(
        "password",
        _compiled(
            r"\b(?:log|sign)(?:s|ged|ned)?[ -]?(?:in|on|into|onto)\b[^\n.,;!?]{0,40}?"
            rf"\s(?:with|as|using) [^\s,/]{{2,60}} (?:and|with|/) (?P<into>{_WORD})"
            rf"|{labels.UNLOCKS} (?P<unlocks>{_WORD})"
            rf"|(?<![\w.+-])[\w.+-]{{1,60}}@[\w.-]{{1,60}} ?[/|] ?(?P<mail>{_WORD})"
            rf"|(?:{labels.ANNOUNCED}|{labels.ABROAD})[^\n.,;!?。，「]{{0,10}}(?P<kagi>「[^」\n]{{3,80}}」)"
        ),
        _mixed,
    ),
    Secret(
        "password",
        re.compile(
            r"\b[A-Z][A-Z0-9_]{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|KEY)"
            rf"=(?P<value>{_QUOTED}|{_WORD})"
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
