"""The words of the gate: each kind is one pattern, and no kind is left over."""

import re
import tomllib
from pathlib import Path

from assessor.gate import wording

FOLDER = Path(wording.__file__).parent


def test_words_are_found_whole_and_chinese_ones_anywhere() -> None:
    language = wording.pattern("language")
    assert language.search("Auf DEUTSCH bitte")
    assert not language.search("Germanys")
    assert language.search("翻译成英文吧")
    assert wording.pattern("authors_work").search("please fix the worst typos")


def test_every_kind_of_word_is_read() -> None:
    data = [path.read_text("utf-8") for path in sorted((FOLDER / "words").glob("*.toml"))]
    kinds = [kind for text in data for kind in tomllib.loads(text)]
    code = " ".join(path.read_text("utf-8") for path in FOLDER.glob("*.py"))
    read = set(re.findall(r"\b(?:pattern|choice|chinese)\([\"'](\w+)[\"']\)", code))
    read |= {name for text in data for name in re.findall(r"<(\w+)>", text)}
    assert len(kinds) == len(set(kinds))
    assert read == set(kinds)
