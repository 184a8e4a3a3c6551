"""The forms of secrets: issued keys, announced passwords and codes, numbers with check digits.

Keys have the forms that their issuers document. A password must be announced as one. No repetition
is without a limit, so that no text makes a pattern slow (tests/config/test_patterns.py).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from memory.text import secret_numbers as numbers


@dataclass(frozen=True)
class Secret:
    """A form of secret. Only the group `value` is masked, if the pattern has one.

    `measure` returns how many of the found characters are the secret; 0 for a lookalike.
    """

    name: str
    pattern: re.Pattern[str]
    measure: Callable[[str], int] = len


# Issuers with a prefix of their own. Other prefixed keys are found by `_looks_random`.
_KEYS = (
    r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|ABSK[\w+/]{60,300}={0,2}",  # Amazon
    r"LTAI[A-Za-z0-9]{20}",  # Alibaba
    r"sk-(?=[\w-]{0,200}\d)[\w-]{16,300}",  # OpenAI, Anthropic and compatible providers
    r"(?:gsk|xai|pplx|nvapi|r8|tvly|fw|csk|jina)[_-][\w-]{20,200}",  # other models
    r"(?:[sr]k_(?:live|test|prod)|whsec)_[A-Za-z0-9]{16,200}",  # Stripe
    r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255}",
    r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[\w.-]{20,300}",  # GitLab
    r"xox[abeoprs]-[\w-]{10,300}|xapp-[\w-]{20,300}|xoxe\.xox[bp]-[\w-]{20,300}",  # Slack
    r"AIza[\w-]{35}|GOCSPX-[\w-]{20,60}|ya29\.[\w-]{20,500}|1//0[\w-]{30,120}",  # Google
    r"(?:hf|api_org)_[A-Za-z0-9]{30,60}",  # Hugging Face
    r"npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,300}|rubygems_[0-9a-f]{48}|dckr_[po]at_[\w-]{20,60}",
    r"SG\.[\w-]{22}\.[\w-]{43}|xkeysib-[\w-]{60,120}|key-[0-9a-f]{32}",  # SendGrid, Brevo, Mailgun
    r"do[opr]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}(?:-\d)?",  # DigitalOcean, Databricks
    r"\d{8,10}:AA[\w-]{33}",  # Telegram
    r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}",  # Discord
    r"(?:SK|AC)[0-9a-f]{32}",  # Twilio
    r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}",  # Shopify
    r"sq0(?:atp|csp)-[\w-]{20,60}|EAAA[\w-]{40,80}|EAA[A-Z][A-Za-z0-9]{90,300}",  # Square, Meta
    r"(?:lin_api|lin_oauth|ntn|secret|figd|rdme|sgp|glc|glsa|pnu|phc|phx|sbp)_[\w-]{32,400}",
    r"(?:PMAK|NRAK|NRII|sntrys|sntryu|dop|tfp|pul|HRKU|shippo_live)[_-][\w+/=-]{24,300}",
    r"ATATT3[\w=-]{50,300}|hv[sbr]\.[\w-]{24,300}|dt0c01\.[\w.]{60,120}|AGE-SECRET-KEY-1\w{58}",
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",
    r"[\w~.]{3}\dQ~[\w~.-]{31,34}",  # Azure
    r"ebb_[\w-]{43}",  # ours
    r"eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{0,2000}",  # a JSON web token
)
_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|.*)"
    # The body alone: of OpenSSH, and of an RSA or EC key in PEM.
    r"|\b(?:b3BlbnNzaC1rZXktdjE|MII[CEJ][a-zA-Z])[A-Za-z0-9+/]{20,99}={0,2}"
    r"(?:\s?\n[A-Za-z0-9+/]{16,99}={0,2}){0,200}"
)
_ADDRESSES = (
    r"\bhooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[\w/+-]{20,120})"
    r"|\bdiscord(?:app)?\.com/api/webhooks/\d{10,25}/(?P<discord>[\w-]{40,100})"
    r"|\.webhook\.office\.com/webhookb?2?/(?P<teams>[\w@/-]{40,250})"
    r"|[?&;](?:access_|auth_|api_?|id_)?(?:token|key|sig|signature|secret|password)="
    r"(?P<query>[^&\s#\"'<>\[]{8,300})"
)

# "for the wifi", between the name and the value.
_FOR = (
    r"(?:\s{1,3}(?:for|of|to|on|at|in|für|fürs|zum|zur|vom|von|de|del|des|du|do|da|di|della|para|pour|per|van"
    r"|voor|от|для)\s[^\n.,:;!?=\"“]{1,40}?)?"
)
_IS = (
    r"[\"']?\s{0,3}(?:(?:\b(?:is|was|ist|lautet|est|es|era|jest|to|är|er)\b|(?<=\s)[èé]\s|'s\b)"
    r"(?: now| still| currently| set to)?\b:?"
    r"|\b(?:changed|set|reset|updated)(?: it)? to\b|[:=：＝]|->|→"
    r"|就?是|为|為|(?:改|设|換|换)(?:成|为|置为)?了?|は|는|은|—|هي|это)\s{0,3}"
)
_ANNOUNCED = (
    r"(?<![A-Za-z0-9])(?:pass(?:word|wd|code|phrase)?|pwd|pw)(?![A-Za-z0-9])"
    r"|密码|密碼|口令"
)
_ANNOUNCED_ABROAD = (
    r"(?<![a-z])(?:passwort|kennwort|(?:wlan|wifi|wi-fi)-?(?:schlüssel|key)|wachtwoord|senha"
    r"|contrase(?:ñ|n)a|mot de passe|parola d'ordine|hasło|lösenord(?:et)?|adgangskode|şifrem?)\b"
    r"|パスワード|비밀번호|[Пп]ароль|كلمة (?:المرور|السر)"
)
_ANNOUNCED_KEY = (
    r"(?<![A-Za-z0-9])(?:(?:api|access|account|shared ?access|secret|private|auth(?:entication)?"
    r"|encryption|license|master|signing)[ _-]?(?:access[ _-]?)?(?:key|token)"
    r"|(?:client[ _-]?)?secret(?: value)?|(?:bot |session |refresh )?token)(?![A-Za-z])|密钥|令牌"
)
_CODES = (
    r"(?:verification|security|confirmation|log-?in|sign-?in|one-time|2fa|authentication|sms"
    r"|alarm|door|gate|safe|vault|locker|voicemail|garage|entry|unlock|backup|recovery|access)"
    r"[ -](?:code|passcode|pin|combination)|\botp\b|\bone-time password"
    r"|验证码|校验码|动态码|门禁密码"
)
_PIN = r"(?<![A-Za-z0-9])(?:pin|cvv2?|cvc2?)(?:[ -](?:code|number|no\.?))?(?:'s)?(?![A-Za-z])"
# Words found in a password's position that are not passwords.
_OTHER_WORDS = (
    "a an the my our your his her its their this that these those not no none null nil true false "
    "required optional empty blank missing unknown invalid incorrect wrong correct right valid "
    "weak strong stronger short long longer simple complex easy hard safe unsafe secure insecure "
    "secret hidden expired old new lost gone stolen leaked compromised changed reset set saved "
    "stored kept shared encrypted hashed salted protected here there below above it them ok okay "
    "fine good bad great terrible too so very just still also always never being been what which "
    "something anything nothing everything yours mine same different unique only really yes "
    "redacted masked forgotten needed temporary permanent public private string str password "
    "in on at by under with for from to written inside behind near sicher schwach falsch richtig"
)
_NO_PASSWORD = frozenset(_OTHER_WORDS.split())


def _compiled(pattern: str) -> re.Pattern[str]:
    # ASCII: a Chinese character next to a number is not part of it.
    return re.compile(pattern, re.ASCII | re.IGNORECASE | re.DOTALL)


def _password(value: str) -> int:
    """Return the length of a word announced as a password; 0 if it cannot be one."""
    plain = value.strip("\"'`“”‘’")
    unlikely = len(plain) < 3 or plain.casefold().rstrip(".,;!?") in _NO_PASSWORD
    return 0 if unlikely else len(value)


def _random(value: str) -> int:
    return len(value) if len(value) >= 8 and any(one.isdigit() for one in value) else 0


def _looks_random(value: str) -> int:
    """Return the length of a prefixed key: it mixes capitals, small letters and digits."""
    kinds = (str.isupper, str.islower, str.isdigit)
    mixed = all(sum(map(kind, value)) >= 3 for kind in kinds)
    return len(value) if mixed and max(map(len, re.split("[_-]", value))) >= 24 else 0


_QUOTED = r"\"[^\"\n]{3,80}\"|'[^'\n]{3,80}'|`[^`\n]{3,80}`|“[^”\n]{3,80}”"
_WORD = r"[^\s\"'`“”<>\[\]\u3000-\u9fff\uff00-\uffef]{3,80}(?<![.,;:!?)])"
# A plain word is a password only at the end of a clause: not "my password is on a note".
_ALONE = (
    rf"{_WORD}(?=[.,;:!?)]{{0,3}}(?:\s{{0,9}}$|\s{{0,9}}\n|[.,;!?，。；！？]"
    r"|\s{1,3}(?:and|but|for|on)\b))"
)
_UNLIKE_A_WORD = (
    r"(?=[^\s]{0,80}[\d@#$%^&*_+=~!])(?![\d.]{1,9}%?\s?(?:char|letter|digit|day|year|month|hour))"
    + _WORD
)
_CODE = r"[A-Z]-\d{4,8}|\d{3}[ -]\d{3}|\d{1,2}-\d{1,2}-\d{1,2}|\d{4,8}"

SECRETS = (
    Secret("private key", re.compile(_PRIVATE_KEY, re.DOTALL)),
    Secret("key", re.compile(rf"(?<![\w-])(?:{'|'.join(_KEYS)})(?![\w-])", re.ASCII)),
    Secret("key", _compiled(_ADDRESSES)),
    Secret(
        "key",
        re.compile(r"(?<![\w./-])[A-Za-z]\w{1,11}[_-][\w-]{28,200}(?![\w-])", re.ASCII),
        _looks_random,
    ),
    Secret(
        "token",
        _compiled(r"\b(?:bearer|basic)\s{1,9}(?P<value>[\w.~+/-]{16,4000}={0,2})"),
        _random,
    ),
    Secret(
        "password",
        _compiled(
            r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<value>[^\s/@]{1,200})@"
            r"|\s(?:-u|--user)[ =][\"']?[^\s:'\"]{1,60}:(?P<user>[^\s'\"]{3,80})"
        ),
    ),
    Secret("ID number", _compiled(numbers.IDENTITY), numbers.identity),
    Secret(
        "code",
        _compiled(
            rf"(?:{_CODES}){_FOR}(?:{_IS})?\s?(?P<value>{_CODE})\b"
            r"|(?P<before>\b\d{4,8})(?= (?:is|als) your [\w ]{0,30}code\b)"
        ),
    ),
    Secret(
        "code",
        _compiled(rf"{_PIN}{_FOR}(?:{_IS}|\s)(?P<value>\d{{3,8}})\b(?!\s?(?:mm|cm|st|x|inch))"),
    ),
    Secret(
        "password",
        _compiled(rf"(?:{_ANNOUNCED}){_FOR}{_IS}(?P<value>{_QUOTED}|{_UNLIKE_A_WORD}|{_ALONE})"),
        _password,
    ),
    Secret(
        "password",
        _compiled(rf"(?:{_ANNOUNCED_ABROAD}){_FOR}{_IS}(?P<value>{_QUOTED}|{_UNLIKE_A_WORD})"),
        _password,
    ),
    Secret(
        "password",
        _compiled(
            r"(?<!\S)(?P<value>(?=\S{0,40}\d)[^\s\"'<>\[\]]{6,40})"
            r"(?= (?:is|as) (?:my|the|our|a) (?:[a-z-]{1,20} ){0,2}(?:password|passcode|pin)\b)"
        ),
        _password,
    ),
    Secret(
        "key",
        _compiled(rf"(?:{_ANNOUNCED_KEY}){_FOR}{_IS}[\"'`]?(?P<value>[\w.+/~-]{{8,300}}={{0,2}})"),
        _random,
    ),
    Secret(
        "recovery phrase",
        _compiled(
            r"\b(?:seed|recovery|backup|mnemonic|secret|wallet)(?: phrase| words){1,2}"
            rf"{_FOR}(?:{_IS}|\s)(?P<value>(?:[a-z]{{3,8}}[ ,]{{1,2}}){{11,23}}[a-z]{{3,8}})"
        ),
    ),
    Secret("card number", re.compile(numbers.CARD, re.ASCII), numbers.card),
    Secret("card number", re.compile(numbers.CARD_UNGROUPED, re.ASCII), numbers.card),
    Secret("IBAN", re.compile(numbers.IBAN, re.ASCII), numbers.iban),
)
