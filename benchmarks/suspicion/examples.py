"""The texts that the classifier learns from: own examples, and corpora of others in a folder.

    own       tests/assessor/screening/training/*.txt, and what other parts of Ebb were trained on
    trained   corpora of others that are learnt from
    unseen    corpora of others that only measure

docs/safety.md names the corpora of others, with their licences. They are not part of the project.
"""

import csv
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from assessor.assessing import Exchange
from assessor.screening import screen
from reader.training.examples import rows

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "tests/assessor/screening/training"
VARIANTS = 3
# Subjects of the combined sentences
TOPICS = ["VPN", "Wi-Fi", "yoga", "pizza", "tennis", "sushi", "jazz", "golf"]
SLOTS = {
    "brand": "Nordbank|Velvano|Kestrelo|Zephyr|Luminar|Trovex|Acme|Brightwell|Orvana|Solpay|Mirado",
    "site": "velvano.example|https://help.trovex.example/start|docs.orvana.example|solpay.example"
    "|www.kestrelo.example|https://luminar.example/login",
    "mail": "office@trovex.example|billing@acme.example|m.keller@orvana.example"
    "|info@mirado.example",
    "person": "Mallory|Dana Reyes|Mr Okafor|Ivo Brandt|Lina|Sasha|Victor Lang",
}
# How much a text of a corpus counts. The attackers in it want forbidden answers, not something
# remembered.
JAILBREAK, INNOCENT = 0.2, 0.5
# Sentences joined from parts are numerous and similar.
COMBINED, COMBINED_WEIGHT = 3, 0.3
LOOKALIKE = 2.0
"""The weight of an innocent text of our own: each contains words of an attack."""


@dataclass(frozen=True)
class Example:
    """A labelled text. `own` are the user's own words. Texts of one `group` are never in different
    folds. `turns` marks the messages of a conversation, read together.
    """

    text: str
    attack: bool
    own: bool
    source: str
    group: str
    weight: float = 1.0
    turns: bool = False


def own_examples() -> list[Example]:
    """Return the examples that were written for this project, with filled slots."""
    whole = [one for path in sorted(TRAINING.glob("*.txt")) for one in _of_file(path)]
    return [*whole, *_combined()]


def _combined() -> Iterator[Example]:
    """Yield the sentences of combined.toml. Sentences with a part in common are of one group."""
    texts = tomllib.loads((TRAINING / "combined.toml").read_text("utf-8"))["texts"]
    for number, kind in enumerate(texts):
        topics = TOPICS[number % len(TOPICS) :] + TOPICS[: number % len(TOPICS)]
        longest = max(len(part) for part in kind["parts"])
        for place in range(COMBINED * longest):
            steps = range(len(kind["parts"]))
            chosen = [(place * (step + 1) + place // longest) for step in steps]
            parts = [part[at % len(part)] for part, at in zip(kind["parts"], chosen, strict=True)]
            text = " ".join(parts).replace(" ,", ",").replace(" .", ".").replace("。 ", "。")
            [filled, *_] = _filled(text, topics, place)
            yield from _labelled(kind["kind"], filled, f"combined-{number}", COMBINED_WEIGHT)


def _of_file(path: Path) -> Iterator[Example]:
    section, topics = "", [""]
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        if line.startswith("# "):
            section = line.removeprefix("# ")
        elif section == "topics":
            topics = line.split(" | ")
        else:
            group = f"{path.stem}-{number}"
            for text in _filled(line, topics, number):
                yield from _labelled(section, text, group)


def _filled(line: str, topics: list[str], number: int) -> list[str]:
    """Return the line with different values in its slots, each text once."""
    slots = {name: values.split("|") for name, values in SLOTS.items()} | {"topic": topics}
    texts = []
    for variant in range(VARIANTS):
        place = number * VARIANTS + variant
        filling = {
            name: values[(place * 7 + len(name)) % len(values)] for name, values in slots.items()
        }
        texts.append(line.format(**filling))
    return list(dict.fromkeys(texts))


def _labelled(section: str, text: str, group: str, share: float = 1.0) -> Iterator[Example]:
    """Yield the examples of one text: people also paste without a mark."""
    if section in ("drip", "talk"):
        joined = " ".join(turn.strip() for turn in text.split("||"))
        yield Example(joined, section == "drip", True, section, group, turns=True)
        return
    kind, whose = section.split()
    attack = kind == "attack"
    weight = share if attack else share * LOOKALIKE
    yield Example(text, attack, whose == "user", section, group, weight)
    if attack or whose == "shown":
        yield Example(text, attack, whose != "user", section, group, weight / 2)


def innocent_examples() -> list[Example]:
    """Return the innocent texts that other parts of Ebb learn from or are measured with."""
    texts = [(f"local-{n}", row["text"]) for n, row in enumerate(rows("importance"))]
    for path in sorted((ROOT / "benchmarks/sets").glob("*.json")):
        for space in json.loads(path.read_text("utf-8"))["spaces"]:
            texts += [(path.stem, one["text"]) for one in space["memories"]]
    for path in sorted((ROOT / "benchmarks/relevance/examples").glob("nothing_*[enzh].txt")):
        lines = path.read_text("utf-8").splitlines()
        texts += [(path.stem, line) for line in lines if not line.startswith("#")]
    # The importance was trained on attacks, too.
    innocent = [(group, text) for group, text in texts if screen(Exchange(text)) is None]
    found = [_of_anyone(text, "Ebb", group, 1.0) for group, text in innocent]
    return [*chain.from_iterable(found), *_conversations()]


def _of_anyone(text: str, source: str, group: str, weight: float) -> list[Example]:
    """Return an innocent text as the user's own and, counting less, as somebody else's."""
    own = Example(text, False, True, source, group, weight)
    return [own, replace(own, own=False, weight=weight / 2)]


def _conversations() -> Iterator[Example]:
    """Yield six messages of each innocent conversation, read together."""
    said = [row["text"] for row in rows("importance") if "before" in row]
    for begin in range(0, len(said), 6):
        text = " ".join(said[begin : begin + 6])
        yield Example(text, False, True, "talk", f"talk-{begin}", turns=True)


def trained_corpora(folder: Path) -> list[Example]:
    """Return the examples of the corpora that are learnt from."""
    found = []
    with (folder / "s-labs/train.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            # Its attacks ask for system prompts, which does not matter for a memory.
            if row["label"] == "0":
                found += _of_anyone(row["text"], "s-labs", row["text"], INNOCENT)
    with (folder / "yanismiraoui/prompt_injections.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            text = row["prompt_injections"]
            found.append(Example(text, True, True, "yanismiraoui", text, JAILBREAK))
    for line in (folder / "bipia/email_train.jsonl").read_text("utf-8").splitlines():
        text = json.loads(line)["context"]
        found.append(Example(text, False, False, "BIPIA", text))
    return found


def unseen_corpora(folder: Path) -> list[Example]:
    """Return the examples of the corpora that only measure."""
    found = []
    for line in (folder / "bastioncorpus/injections.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        own, attack = row["channel"] == "user_input", row["label"] == "malicious"
        found.append(Example(row["text"], attack, own, "bastioncorpus", row["category"]))
    for path in sorted((folder / "notinject").glob("*.json")):
        for row in json.loads(path.read_text("utf-8")):
            found.append(Example(row["prompt"], False, True, "NotInject", row["category"]))
    return found
