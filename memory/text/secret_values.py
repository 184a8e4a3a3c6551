"""The forms of passwords and codes after the words that announce them."""

QUOTED = r"\"[^\"\n]{3,80}\"|'[^'\n]{3,80}'|`[^`\n]{3,80}`|“[^”\n]{3,80}”"
# Atomic: without another try for each shorter word, which made texts like "pass:pass:" slow.
WORD = r"(?>[^\s\"'`“”<>\[\]\u3000-\u9fff\uff00-\uffef]{3,80}(?<![.,;:!?)]))"
CLAUSE_ENDS = (
    r"(?=[.,;:!?)]{0,3}(?:\s{0,9}$|\s{0,9}\n|[.,;!?，。；！？]"
    r"|\s{1,3}(?:and|but|for|on|now|jetzt|maintenant|ahora)\b))"
)
# No call of a function and no element, as in `password = getpass("…")` and `secrets["…"]`.
_NO_CALL = r"(?![A-Za-z_][\w.]{0,60}(?:\((?:\)|\w{0,30}[\"'=])|\[[\"']))"
# A plain word is a password only at the end of a clause: not "my password is on a note".
ALONE = _NO_CALL + WORD + CLAUSE_ENDS
UNITS = (
    r"(?![\d.]{1,9}%?\s?(?:char|letter|digit|day|year|month|hour|zeichen|stellen|caract|cifr|d[íi]git"
    r"|znak|символ|цифр|자|文字|桁|位|个))"
)
UNLIKE_A_WORD = rf"{_NO_CALL}(?=[^\s]{{0,80}}[\d@#$%^&*_+=~!]){UNITS}{WORD}"
# A word with a sign within is a password even before further words.
WITH_SIGN = rf"(?=[^\s.]{{1,40}}[@#$%&+_!*][^\s]){WORD}"
_ONE_CODE = (
    r"[A-Z]{1,2}-?\d{4,8}|(?=[\dA-F]{4,8}\b)\d{1,4}[A-F]\d{1,4}"
    r"|(?=[a-z-]{0,5}\d)[a-z0-9]{4,5}-[a-z0-9]{4,5}|\d{3}[ -]\d{3}|\d{1,2}(?:-\d{1,2}){2,4}|\d{4,8}"
)
CODE = rf"(?:{_ONE_CODE})(?:,? (?:{_ONE_CODE})(?!\w)){{0,15}}"
NO_YEAR = r"(?!(?:19|20)\d\d\b)"
# A word with a letter, a digit and a sign before another character, but no address.
STRONG = (
    rf"{_NO_CALL}"
    r"(?=[^\s@]{1,40}[#$%&!*+=~^]\w|[^\s@]{1,40}@\w{1,40}(?![\w.]))(?=\S{0,40}\d)(?=\S{0,40}[a-z])"
    rf"{WORD}"
)
