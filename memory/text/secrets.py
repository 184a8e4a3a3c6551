"""Masking of keys, passwords, card numbers and codes before assessment and saving.

Independent of the text's purpose, so that every way to write a memory can use it.

Keys have the forms that their issuers document. Numbers must pass their checksum, and a password
must be announced as one: a bare number, hash or UUID is not masked.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_KEYS = (
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",  # Amazon
    r"sk-(?=[\w-]*\d)[\w-]{16,}",  # OpenAI, Anthropic and compatible providers
    r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}",  # Stripe
    r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,}",
    r"glpat-[\w-]{20,}",  # GitLab
    r"xox[abeprs]-[\w-]{10,}|xapp-[\w-]{20,}",  # Slack
    r"AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}",  # Google
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,}",
    r"SG\.[\w-]{22}\.[\w-]{43}",  # SendGrid
    r"dop_v1_[0-9a-f]{64}",  # DigitalOcean
    r"\d{8,10}:AA[\w-]{33}",  # Telegram
    r"ebb_[\w-]{43}",  # ours
    r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*",  # a JSON web token
)
_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----|.*)"
)

# "my password is …", "pw: …", "the api key = …", 密码是…
_IS = (
    r"[\"']?\s{0,3}(?:\b(?:is|was|ist|lautet|est|es|era)(?: now)?\b:?|[:=：＝]|->|→"
    r"|是|为|為|改成了?|は|—|هي|это)\s{0,3}"
)
_ANNOUNCED = r"\b(?:pass(?:word|wd|code|phrase)?|pwd|pw)\b|密码|密碼|口令"
# Languages without a list of plain words that are not passwords.
_ANNOUNCED_ABROAD = (
    r"\b(?:passwort|kennwort|wachtwoord|senha|contrase(?:ñ|n)a|mot de passe)\b"
    r"|パスワード|비밀번호|[Пп]ароль|كلمة (?:المرور|السر)"
)
_ANNOUNCED_KEY = (
    r"\b(?:(?:api|access|secret|private|auth(?:entication)?|encryption)[ _-]?(?:key|token)"
    r"|(?:client[ _-]?)?secret|token)\b|密钥|令牌"
)
_ANNOUNCED_CODE = (
    r"(?:(?:verification|security|confirmation|log-?in|sign-?in|one-time|2fa|authentication|sms)"
    r"[ -](?:code|passcode|pin)|\botp\b|\bone-time password)|验证码|校验码|动态码"
)
# Words found in a password's position that are not passwords.
_OTHER_WORDS = (
    "a an the my our your his her its their this that these those not no none null nil true false "
    "required optional empty blank missing unknown invalid incorrect wrong correct right valid "
    "weak strong stronger short long longer simple complex easy hard safe unsafe secure insecure "
    "secret hidden expired old new lost gone stolen leaked compromised changed reset set saved "
    "stored kept shared encrypted hashed salted protected here there below above it them ok okay "
    "fine good bad great terrible too so very just still also always never being been what which "
    "something anything nothing everything yours mine same different unique only really yes "
    "redacted masked forgotten needed temporary permanent public private string str password"
)
_NO_PASSWORD = frozenset(_OTHER_WORDS.split())


@dataclass(frozen=True)
class _Secret:
    """A form of secret. Only the group `value` is masked, if the pattern has one."""

    name: str
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = lambda value: True


def _digits(value: str) -> list[int]:
    return [int(character) for character in value if character.isdigit()]


# Without gaps, or in the groups printed on a card, also across a line break. Each group starts a
# match, so that a date or a code next to the number is not part of it.
_DIGIT = r"[0-9０-９]"
_GAP = r"(?:[ \t\u00a0\u2007\u2009\u202f\u3000.\u2010-\u2015-]{1,2}|[ \t]?\r?\n[ \t]?)"
_CARD = (
    rf"(?<![\w+.-])(?<!{_DIGIT})(?=(?P<value>{_DIGIT}{{13,19}}"
    rf"|(?:{_DIGIT}{{4}}{_GAP}){{3}}{_DIGIT}{{4}}|{_DIGIT}{{4}}{_GAP}{_DIGIT}{{6}}{_GAP}{_DIGIT}{{4,5}})"
    rf"(?!{_DIGIT})(?![\w-]))"
)
_BRANDS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0|6|8)\d{12}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|35\d{14}|62\d{14,17}"
)


def _is_card(value: str) -> bool:
    """Check a card issuer's prefix and length, and the check digit (Luhn, ISO/IEC 7812-1)."""
    digits = _digits(value)
    if not _BRANDS.fullmatch("".join(map(str, digits))):
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(value: str) -> bool:
    """Check the check digits of ISO 13616: the rearranged number is 1 modulo 97."""
    plain = re.sub(r"\s", "", value)
    number = "".join(str(int(character, 36)) for character in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(number) % 97 == 1


def _is_password(value: str) -> bool:
    """Return true if a word announced as a password can be one."""
    plain = value.strip("\"'`“”‘’")
    return len(plain) >= 3 and plain.casefold().rstrip(".,;!?") not in _NO_PASSWORD


def _is_random(value: str) -> bool:
    return len(value) >= 8 and any(character.isdigit() for character in value)


def _compiled(pattern: str) -> re.Pattern[str]:
    # ASCII: a Chinese character next to a number is not part of it.
    return re.compile(pattern, re.ASCII | re.IGNORECASE | re.DOTALL)


_QUOTED = r"\"[^\"\n]{3,80}\"|'[^'\n]{3,80}'|`[^`\n]{3,80}`|“[^”\n]{3,80}”"
_WORD = r"[^\s\"'`“”<>\[\]\u3000-\u9fff\uff00-\uffef]{3,80}(?<![.,;:!?)])"
# A plain word is a password only at the end of a clause: not "my password is on a note".
_ALONE = rf"{_WORD}(?=[.,;:!?)]*(?:\s*$|\s*\n|[.,;!?，。；！？]|\s+(?:and|but|for|on)\b))"
_UNLIKE_A_WORD = rf"(?=[^\s]*[\d@#$%^&*_+=~])(?![\d.]+%?\s*(?:char|letter|digit|day|year)){_WORD}"

SECRETS = (
    _Secret("private key", re.compile(_PRIVATE_KEY, re.DOTALL)),
    _Secret("key", re.compile(rf"(?<![\w-])(?:{'|'.join(_KEYS)})(?![\w-])", re.ASCII)),
    _Secret("token", _compiled(r"\b(?:bearer|basic)\s+(?P<value>[\w.~+/-]{16,}=*)"), _is_random),
    _Secret("password", _compiled(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]+:(?P<value>[^\s/@]+)@")),
    _Secret(
        "code",
        _compiled(
            rf"(?:{_ANNOUNCED_CODE}){_IS}?\s?"
            r"(?P<value>[A-Z]-\d{4,8}|\d{3}[ -]\d{3}|\d{4,8})\b"
            r"|(?P<before>\b\d{4,8})(?= (?:is|als) your [\w ]{0,30}code\b)"
        ),
    ),
    _Secret(
        "code",
        _compiled(
            rf"\b(?:pin|cvv|cvc)(?: code)?(?:{_IS}|\s)(?P<value>\d{{3,8}})\b(?!\s?(?:mm|cm|st|x))"
        ),
    ),
    _Secret(
        "password",
        _compiled(rf"(?:{_ANNOUNCED}){_IS}(?P<value>{_QUOTED}|{_UNLIKE_A_WORD}|{_ALONE})"),
        _is_password,
    ),
    _Secret(
        "password",
        _compiled(rf"(?:{_ANNOUNCED_ABROAD}){_IS}(?P<value>{_QUOTED}|{_UNLIKE_A_WORD})"),
        _is_password,
    ),
    _Secret(
        "key",
        _compiled(rf"(?:{_ANNOUNCED_KEY}){_IS}[\"'`]?(?P<value>[\w.+/-]{{8,}}=*)"),
        _is_random,
    ),
    _Secret("card number", re.compile(_CARD, re.ASCII), _is_card),
    _Secret(
        "card number", re.compile(r"(?<![\w+.-])\d(?:[ -]?\d){12,18}(?![\w-])", re.ASCII), _is_card
    ),
    _Secret(
        "IBAN",
        re.compile(
            r"\b[A-Z]{2}\d{2}(?:[ \u00a0\u202f]?[A-Z0-9]{4}){2,7}"
            r"(?:[ \u00a0\u202f]?[A-Z0-9]{1,3})?\b",
            re.ASCII,
        ),
        _is_iban,
    ),
)


def mask_secrets(text: str) -> str:
    """Return the text with `[password]`, `[card number]` … in place of each secret. Masking twice
    changes nothing more."""
    for secret in SECRETS:
        for start, end in reversed(list(_found(secret, text))):
            text = f"{text[:start]}[{secret.name}]{text[end:]}"
    return text


def _found(secret: _Secret, text: str) -> Iterator[tuple[int, int]]:
    found = 0  # the end of the last secret found
    for match in secret.pattern.finditer(text):
        groups = [name for name, value in match.groupdict().items() if value is not None]
        start, end = match.span(groups[0] if groups else 0)
        if start >= found and secret.holds(text[start:end]):
            yield start, end
            found = end


_NAMES = re.compile(
    r"(?:\A|[\W_])(?:pass(?:word|wd|code|phrase)?|pwd|secret|token|(?:api|access|private)_?key)\Z",
    re.IGNORECASE,
)


def mask_together(texts: Sequence[str]) -> list[str]:
    """Mask related texts together: a secret found in one is masked in all, as in "my password is
    hunter2" and the answer "hunter2 is a weak one"."""
    values = {
        text[start:end]: secret.name
        for text in texts
        for secret in SECRETS
        for start, end in _found(secret, text)
    }
    masked = [mask_secrets(text) for text in texts]
    if not values:
        return masked
    longest_first = sorted(map(re.escape, values), key=len, reverse=True)
    known = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", re.ASCII)
    return [known.sub(lambda found: f"[{values[found[0]]}]", text) for text in masked]


def mask_json(value: Any, mask: Callable[[str], str]) -> Any:
    """Return JSON with its texts masked to any depth; values of keys such as "password" are
    replaced whole."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [mask_json(item, mask) for item in value]
    if isinstance(value, dict):
        return {
            key: "[secret]" if item and _NAMES.search(key) else mask_json(item, mask)
            for key, item in value.items()
        }
    return value
