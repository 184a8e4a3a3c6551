"""Reads labels.toml: the words that announce a password, a code or a key.

The file has a table for each kind of word, with the entries of each language. A comma or a new line
separates entries. An entry is a regular expression without case, from the beginning to the end of a
word; `<kind>` in it stands for the English entries of that kind.
"""

import re
import tomllib
from collections.abc import Iterator
from importlib import resources

_SEPARATOR = re.compile(r", |\n")
_REFERENCE = re.compile(r"<(\w+)>")
# Languages whose words may touch each other without a space.
_UNSPACED = ("zh", "ja", "ko", "th", "ar", "hi", "he")
_TABLES = tomllib.loads(resources.files(__package__).joinpath("labels.toml").read_text("utf-8"))
# Letters of Europe. No `_`, as before the word in "db_password", and no Chinese characters.
_LETTER = "[A-Za-z0-9\u00c0-\u024f\u0370-\u04ff]"


def words(kind: str) -> str:
    """Return a pattern of the words of this kind in all languages."""
    spaced = "|".join(_entries(kind, spaced=True))
    unspaced = _entries(kind, spaced=False)
    bounded = [rf"(?<!{_LETTER})(?:{spaced})(?!{_LETTER})"] if spaced else []
    return f"(?:{'|'.join((*bounded, *unspaced))})"


def listed(kind: str) -> frozenset[str]:
    """Return the entries of this kind in the languages with spaces."""
    return frozenset(_entries(kind, spaced=True))


def _entries(kind: str, *, spaced: bool) -> Iterator[str]:
    for language, entries in _TABLES[kind].items():
        if (language not in _UNSPACED) == spaced:
            for entry in _SEPARATOR.split(entries.strip("\n")):
                yield _REFERENCE.sub(lambda found: f"(?:{_TABLES[found[1]]['en']})", entry)


# "for the wifi", between the label and the secret.
FOR = (
    r"(?:\s{1,3}(?:for|of|to|on|at|in|im|am|für|fürs|zum|zur|vom|von|der|de|del|des|du|do|da|di|della"
    r"|para|pour|per|van|voor|k|ke|od|från|för|til|от|для|з|mein(?:er|es)|unser(?:er|es)|our|my)\s"
    r"[^\n.,:;!?=\"“]{1,40}?)?"
)
# "is", "changed to", ":", and "…, it's hunter2", where a pronoun precedes the secret.
IS = (
    r"[\"']?\s{0,3}(?:,\s(?:so )?(?:it'?s|it is|that's|that is|now|c'est|maintenant"
    r"|das ist|es ist|jetzt|nun|dat is|è|es|ahora)\b"
    r"(?: now)?|(?:\b(?:is|was|are|ist|sind|lautet|heißt|est(?: le| la)?|c'est|es(?: el| la)?|era"
    r"|jest|to|er|on|je|este|adalah)\b|(?<=\s)(?:[èéé]|är|là|είναι|היא)\s)"
    r"(?: now| still| currently| set to)?:?"
    r"|\b(?:changed|set|reset|updated)(?: it)? to\b|[:=：＝]|[-=]>|→|–\s"
    r"|就?是|为|為|按|输入?|(?:改|设|換|换)(?:成|为|置为)?了?|は|는|은|이|—|هي|هو|это|है|คือ)\s{0,3}"
)
_WITH = rf"(?:(?:{words('with')}|[:=])(?: (?:the )?(?:code|pin))?)"
# "The safe opens with …", "to unlock my phone type …"
OPENS = (
    rf"{words('locked_thing')}[^\n.!?;\d]{{0,40}}\b(?:open|unlock|disarm)(?:s|ed|ing)?\b"
    rf"[^\n.!?;\d]{{0,15}}?{_WITH}"
    r"|\b(?:open|unlock|disarm|get in(?:to)?)(?:s|ed|ing)? (?:the |my |our |his |her |your )?"
    rf"(?:\w{{1,15}} ){{0,2}}?{words('locked_thing')}[^\n.!?;\d]{{0,15}}?{_WITH}"
    rf"|{words('opens')}"
)
NETWORK = rf"{words('network')}[^\n.!?]{{0,60}}?{words('network_key')}(?:['’]s(?=\s))?"
ANY_CODE = (
    r"(?:\A|[\n.,:;!?]\s|\b(?:my|the|our|your|her|his|their|der|die|das|den|meine?|unsere?|ihr|le|mon"
    r"|notre|el|la|una?|mi|il|mio|o|meu)\s)"
    rf"(?:(?!(?:{'|'.join(listed('open_code'))})(?:\b|code))[a-z]{{2,14}}[ -]?){{0,2}}?"
    r"(?:codes?|tan|kode|kod|código|codice)(?! (?:de )?(?:error|postale?|pocztowy))\b"
)
# Except the PIN code of an Indian place, which is a postal code.
PIN = rf"{words('pin')}(?:'s)?(?! of (?:my |the |our )?(?:village|area|city|town|place|district))"
UNIT = re.compile(rf"\s?{words('unit')}", re.IGNORECASE)
NO_PASSWORD = listed("no_password")
OPINIONS = ("able", "ible", "ous", "less", "-sensitive")  # "my password is ridiculous"
