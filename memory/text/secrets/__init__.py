"""Masking of keys, passwords, card numbers and codes before assessment and saving.

Independent of the text's purpose, so that every way to write a memory can use it. `forms` has the
secrets with a form of their own; `announced` finds secrets by the words beside them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from foundation.texts.forms import compatible
from memory.text.secrets.announced import NAMES, asks_for_value, find_announced
from memory.text.secrets.forms import SECRETS

_FINDERS = (*(secret.found for secret in SECRETS), find_announced)


def mask_secrets(text: str) -> str:
    """Return the text with `[password]`, `[card number]` … in place of each secret. Masking twice
    changes nothing more."""
    text = _readable(text)
    for find in _FINDERS:
        for start, end, name in reversed(find(text)):
            text = f"{text[:start]}[{name}]{text[end:]}"
    return text


def _readable(text: str) -> str:
    """Return the text as patterns read it, if it hides a secret from them, such as a card number in
    full-width digits; otherwise unchanged."""
    read = compatible(text)
    hides = read != text and _found_in(read) > _found_in(text)
    return read if hides else text


def _found_in(text: str) -> int:
    return sum(len(find(text)) for find in _FINDERS)


_NAMES = re.compile(
    r"(?:\A|[\W_])(?:pass(?:word|wd|code|phrase)?|pwd|secret|token|(?:api|access|private)_?key)\Z",
    re.IGNORECASE,
)


def mask_together(texts: Sequence[str]) -> list[str]:
    """Mask related texts together: a secret found in one is masked in all, as in "my password is
    hunter2" and the answer "hunter2 is a weak one"."""
    values = secrets_in(texts)
    return [mask_values(mask_secrets(text), values) for text in texts]


def secrets_in(texts: Iterable[str]) -> dict[str, str]:
    """Return the secrets in these texts, each with its name."""
    return {
        text[start:end]: name
        for text in map(_readable, texts)
        for find in _FINDERS
        for start, end, name in find(text)
    }


def mask_values(text: str, values: Mapping[str, str]) -> str:
    """Return the text with every occurrence of these secrets replaced by its name."""
    if not values:
        return text
    longest_first = sorted(map(re.escape, values), key=len, reverse=True)
    known = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", re.ASCII)
    return known.sub(lambda found: f"[{values[found[0]]}]", text)


_KNOWN = sorted({secret.name for secret in SECRETS} | set(NAMES.values()))
_LABEL = re.compile(rf"\[(?:{'|'.join(_KNOWN)})\]")


def has_label(text: str) -> bool:
    """Return whether masking found a secret in this masked text."""
    return _LABEL.search(text) is not None


# A clause ends with its sentence, or before the subject of the next: "…, and I moved to Porto".
_CLAUSE_ENDS = re.compile(
    r"[.!?;。！？；\n]"
    r"|,? (?:and|but) (?=(?:I|we|he|she|they|my|our|his|her|their|user)\b)"
    r"|，(?=[我他她])",
    re.IGNORECASE,
)


def says_only_secrets(text: str) -> bool:
    """Return whether each clause of a masked text only contains a secret, as in "my password is
    [password] and my PIN is [code]": nothing worth remembering is left.
    """
    clauses = [one for one in _CLAUSE_ENDS.split(text) if one.strip()]
    return bool(clauses) and all(map(_LABEL.search, clauses))


_ASKS_FOR = re.compile(
    r"\b(?:what|which|tell me|give me|remind me|remember|know)\b"
    r"|什么|多少|几|告诉我|记得|知道",
    re.IGNORECASE,
)


def asks_for_secret(question: str) -> bool:
    """Return whether the question asks for a password, a PIN, a code or a key."""
    return asks_for_value(question) and _ASKS_FOR.search(question) is not None


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
