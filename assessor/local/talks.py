"""Reads the labelled conversations that the head is trained on: talks_en.toml and talks_zh.toml."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
VARIANTS = 2
"""Conversations made of one text with a {slot}."""
_TURN = re.compile(r"(?:(\d\.\d\d) (\w+)|-) \| (.+)")


@dataclass(frozen=True)
class TalkTurn:
    """A labelled message with the texts around it. Variants of a conversation share its name."""

    text: str
    reply: str
    earlier: tuple[str, ...]
    importance: float
    memory_type: str
    lang: str
    conversation: str


def load_talks() -> list[TalkTurn]:
    """Return the labelled turns of all conversations, each once, in the order of the files."""
    found: dict[tuple[str, str], TalkTurn] = {}
    for lang in ("en", "zh"):
        document = tomllib.loads((FOLDER / f"talks_{lang}.toml").read_text("utf-8"))
        for number, talk in enumerate(document["talk"]):
            for variant in range(VARIANTS):
                place = number * VARIANTS + variant
                # The length moves each slot differently, so that its values meet others.
                values = {
                    name: words[(place * 7 + len(name)) % len(words)]
                    for name, words in document["slots"].items()
                }
                for turn in _turns(talk["turns"].format(**values), lang, f"{lang}-{number}"):
                    found.setdefault((turn.text, "".join(turn.earlier[-1:])), turn)
    return list(found.values())


def _turns(talk: str, lang: str, name: str) -> Iterator[TalkTurn]:
    """Yield the labelled turns; a line with a dash is only context."""
    lines = [match.groups() for match in map(_TURN.fullmatch, talk.strip().splitlines()) if match]
    texts = [text[0].upper() + text[1:] for _, _, text in lines]
    for place, (importance, memory_type, _) in enumerate(lines):
        if importance is None:
            continue
        yield TalkTurn(
            text=texts[place],
            reply=texts[place + 1] if place + 1 < len(texts) else "",
            earlier=tuple(texts[:place]),
            importance=float(importance),
            memory_type=memory_type,
            lang=lang,
            conversation=name,
        )
