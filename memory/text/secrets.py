"""Masking of keys, passwords, card numbers and codes before assessment and saving.

Independent of the text's purpose, so that every way to write a memory can use it. The forms are in
`secret_forms` and `secret_numbers`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memory.text.secret_forms import SECRETS, Secret


def mask_secrets(text: str) -> str:
    """Return the text with `[password]`, `[card number]` … in place of each secret. Masking twice
    changes nothing more."""
    for secret in SECRETS:
        for start, end in reversed(list(_found(secret, text))):
            text = f"{text[:start]}[{secret.name}]{text[end:]}"
    return text


def _found(secret: Secret, text: str) -> Iterator[tuple[int, int]]:
    found = 0  # the end of the last secret found
    for match in secret.pattern.finditer(text):
        groups = [name for name, value in match.groupdict().items() if value is not None]
        start, end = match.span(groups[0] if groups else 0)
        if start >= found and (length := secret.measure(text[start:end])):
            found = start + length
            yield start, found


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
        text[start:end]: secret.name
        for text in texts
        for secret in SECRETS
        for start, end in _found(secret, text)
    }


def mask_values(text: str, values: Mapping[str, str]) -> str:
    """Return the text with the names of these secrets in their place, wherever it repeats them."""
    if not values:
        return text
    longest_first = sorted(map(re.escape, values), key=len, reverse=True)
    known = re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", re.ASCII)
    return known.sub(lambda found: f"[{values[found[0]]}]", text)


_LABEL = re.compile(rf"\[(?:{'|'.join(sorted({secret.name for secret in SECRETS}))})\]")


def has_label(text: str) -> bool:
    """Return whether a masked text had a secret."""
    return _LABEL.search(text) is not None


def says_only_secrets(text: str) -> bool:
    """Return whether each sentence of a masked text tells a secret, as in "my password is
    [password]": nothing is left that is worth remembering."""
    sentences = [one for one in re.split(r"[.!?;。！？；\n]", text) if one.strip()]
    return bool(sentences) and all(map(_LABEL.search, sentences))


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
