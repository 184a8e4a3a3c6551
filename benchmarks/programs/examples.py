"""The texts that the gate's classifier learns from: prompts of programs, and words of people.

`examples/people.txt` and `coding.toml` are messages that look like a program's prompt,
`characters.txt` system prompts of assistants that people talk with. All were written for this
project.
docs/openai-endpoint.md names the corpora of others. They are not part of the project.
"""

import csv
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assessor.gate.signals import TASK_SIGNALS
from assessor.gate.systems import is_conversation
from benchmarks.programs.collecting import Template, templates_of
from benchmarks.programs.filling import Said, filled, has_places, said_by
from reader.training.examples import rows

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# How much a text counts.
ORDINARY, LOOKALIKE, BOTH_WAYS = 0.5, 3.0, 0.5
# Pairs of long messages about somebody's work
AT_WORK = 300


@dataclass(frozen=True)
class Example:
    """A message or a system prompt. Texts of one `group` are never in different folds."""

    text: str
    is_program: bool
    is_system: bool
    source: str
    group: str
    weight: float = 1.0


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text file that are not empty."""
    return [line for line in path.read_text("utf-8").splitlines() if line.strip()]


def repositories_of(use: str) -> list[str]:
    """Return the folders of the repositories of one use."""
    return [name.replace("/", "+") for name in listed(use)]


def listed(key: str) -> list[str]:
    """Return a list of repositories.toml."""
    found: list[str] = tomllib.loads((HERE / "repositories.toml").read_text("utf-8"))[key]
    return found


def programs(repositories: Path, use: str) -> Iterator[Example]:
    """Yield the filled prompts of the repositories of one use, as messages and system prompts."""
    texts = [row["text"] for row in rows("importance")]
    for name in repositories_of(use):
        templates = templates_of(repositories / name)
        for number, template in enumerate(templates):
            yield from _of_template(template, said_by(texts, number))


def _of_template(template: Template, said: Said) -> Iterator[Example]:
    """Yield a prompt as its program may send it: instruction and text in one message or in two."""
    if "/ee/" in template.file:
        return  # under another licence
    text, repository = filled(template.text, said), template.repository
    group = f"{repository}/{template.file}"
    is_whole = not has_places(template.text)
    if not template.is_system:
        yield Example(text, True, False, repository, group)
    if is_whole and not template.is_system:
        yield Example(f"{text}\n\n{said.document}", True, False, repository, group, BOTH_WAYS)
    if (template.is_system or is_whole) and not _may_be_a_talk(text):
        yield Example(text, True, True, repository, group)


def _may_be_a_talk(system: str) -> bool:
    return is_conversation(system) and not TASK_SIGNALS["output"][1].search(system)


def people(corpora: Path) -> Iterator[Example]:
    """Yield messages of people, and the system prompts of assistants that they talk with."""
    for text in lines_of(HERE / "examples/people.txt"):
        yield Example(text, False, False, "look-alikes", text, LOOKALIKE)
    for number, text in enumerate(_at_work()):
        yield Example(text, False, False, "at work", f"at work {number}")
    for text in lines_of(HERE / "examples/characters.txt"):
        yield Example(text, False, True, "characters", text, LOOKALIKE)
    for group, text in _ordinary(corpora):
        yield Example(text, False, False, "ordinary", group, ORDINARY)
    for path in sorted((corpora / "lobe-chat-agents").glob("*.json")):
        role = json.loads(path.read_text("utf-8"))["config"]["systemRole"]
        yield Example(role, False, True, "lobe-chat-agents", path.stem)
    acting = corpora / "awesome-chatgpt-prompts-zh/prompts-zh.json"
    for row in json.loads(acting.read_text("utf-8")):
        yield Example(row["prompt"], False, False, "awesome-prompts", row["act"])
        yield Example(row["prompt"], False, True, "awesome-prompts", row["act"])


def _at_work() -> Iterator[str]:
    """Yield long messages about somebody's work, joined from the parts of coding.toml."""
    parts = tomllib.loads((HERE / "examples/coding.toml").read_text("utf-8")).values()
    for place in range(AT_WORK):
        steps = zip(parts, (1, 5, 7, 11), strict=True)
        chosen = [part[place * step % len(part)] for part, step in steps]
        yield "\n".join(text for text in chosen if text)
        # The same without the code
        yield f"{chosen[0]} {chosen[1]} {chosen[3]}"


def _ordinary(corpora: Path) -> Iterator[tuple[str, str]]:
    for number, row in enumerate(rows("importance")):
        yield f"local-{number}", row["text"]
    for path in sorted((ROOT / "tests/assessor/screening/training").glob("*people.txt")):
        for text in lines_of(path):
            yield path.stem, text
    for path in sorted((ROOT / "benchmarks/relevance/examples").glob("nothing_*[enzh].txt")):
        yield from ((path.stem, line) for line in lines_of(path) if not line.startswith("#"))
    with (corpora / "s-labs/train.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["label"] == "0":
                yield row["text"], row["text"]
    for path in sorted((corpora / "open-assistant").glob("*_text.jsonl")):
        yield from ((line, json.loads(line)) for line in lines_of(path))
