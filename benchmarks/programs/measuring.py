"""Counts the prompts of other programs from which the built-in assessor would learn."""

import re
import tomllib
from pathlib import Path

from assessor.local import assess
from assessor.local.assessing import LEFT_OUT
from assessor.screening import gate_reason
from benchmarks.programs.collecting import Template, templates_of
from benchmarks.programs.filling import Said, filled, said_by
from reader.training.examples import rows

LIST = Path(__file__).with_name("repositories.toml")


def measure(repositories: Path) -> None:
    """Print how many prompts of the listed repositories teach, by repository."""
    listed = tomllib.loads(LIST.read_text("utf-8"))
    left_out = re.compile("|".join(listed["left_out"]))
    texts = [row["text"] for row in rows("importance")]
    found: list[bool] = []
    for name in listed["measured"]:
        prompts = [
            one
            for one in templates_of(repositories / name.replace("/", "+"))
            if not (one.is_system or left_out.search(f"{one.repository}/{one.file}:{one.name}"))
        ]
        here = [teaches(one, said_by(texts, number)) for number, one in enumerate(prompts)]
        for one in (one for one, does in zip(prompts, here, strict=True) if does):
            print(f"    {one.file}:{one.name}")
        found += here
        print(f"{name:>34} {sum(here)} of {len(here)}")
    print(f"prompts of programs that teach: {sum(found)} of {len(found)}")


def teaches(template: Template, said: Said) -> bool:
    """Return whether Ebb would learn from the prompt."""
    message = filled(template.text, said)
    return gate_reason(message) is None and assess(message).importance > LEFT_OUT
