"""Measures which memories reach the model: `python -m benchmarks.silence --data FILE`.

Says the held-out examples of benchmarks/relevance and the questions of FILE (LoCoMo's format)
through `POST /api/v1/chat`, and counts what was recalled, with the policy's minimum relevance and
without. docs/benchmarks.md has the figures.
"""

import argparse
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import harness
from benchmarks.locomo_data import conversations
from benchmarks.relevance.asking import conversation_drafts
from benchmarks.relevance.examples import Examples, examples, unseen
from memory.formulas.retrieval import recall_at

NOTHING = 200
CHARACTERS_A_TOKEN = 4
LANGUAGES = {
    "en": "English",
    "zh": "Chinese",
    "en-unseen": "English, unseen",
    "zh-unseen": "Chinese, unseen",
}


class Chat:
    """A space with memories, and a key that chats in it."""

    def __init__(self, slug: str, drafts: Sequence[Any], **rules: float) -> None:
        from django.test import Client
        from django.utils import timezone

        from accounts.keys.services import create_key
        from accounts.models import Embedder, Scope
        from foundation.actors import SYSTEM
        from memory.policies.services import change_policy
        from memory.spaces.services import create_space
        from memory.store.services import create_memories

        now = timezone.now()
        minilm = Embedder.objects.get(model="all-MiniLM-L6-v2")
        space = create_space(slug=slug, name=slug, embedder=minilm, actor=SYSTEM)
        change_policy(space=space, changes={"recall": rules}, actor=SYSTEM, now=now)
        stored = create_memories(space=space, drafts=drafts, actor=SYSTEM, now=now)
        self.ids = [str(memory.pk) for memory in stored]
        scopes = [Scope.READ, Scope.WRITE]
        _, key = create_key(space=space, scopes=scopes, actor=SYSTEM, now=now)
        self._client = Client(headers={"Authorization": f"Bearer {key}", "host": "localhost"})

    def say(self, text: str) -> list[dict[str, Any]]:
        """Return the recalled memories of a new conversation that begins with the text."""
        body = json.dumps({"message": text})
        answer = self._client.post("/api/v1/chat", body, content_type="application/json")
        assert answer.status_code == 200, answer.content
        recalled: list[dict[str, Any]] = answer.json()["recalled"]
        return recalled

    def found(self, recalled: Sequence[dict[str, Any]], helpful: Collection[int]) -> float:
        """Return the share of the helpful memories, named by their places, that were recalled."""
        ids = {self.ids[place] for place in helpful}
        return float(recall_at(len(recalled), ids, [one["memory"]["id"] for one in recalled]))


def nothing_said(path: Path, held_out: Sequence[Examples], **rules: float) -> dict[str, Any]:
    """Say 200 utterances that need no memory, spread over the conversations' spaces."""
    said = [one.text for given in held_out for one in given.nothing]
    said = said[:: max(1, len(said) // NOTHING)][:NOTHING]
    chats = [
        Chat(f"nothing-{number}-{len(rules)}", conversation_drafts(talk), **rules)
        for number, talk in enumerate(conversations(path))
    ]
    answers = [chats[number % len(chats)].say(text) for number, text in enumerate(said)]
    return _row("nothing needed", answers, [not recalled for recalled in answers])


def questions_asked(path: Path, **rules: float) -> dict[str, Any]:
    """Ask the conversations' questions, each in its own space."""
    answers, found = [], []
    for number, talk in enumerate(conversations(path)):
        name = "-".join(f"{value:g}".replace(".", "") for value in rules.values())
        chat = Chat(f"talk-{number}-{name}", conversation_drafts(talk), **rules)
        for question in talk.questions:
            answers.append(chat.say(question.text))
            found.append(chat.found(answers[-1], question.evidence))
    return _row(f"questions about a conversation, at most {rules['limit']:g}", answers, found)


def facts_asked(held_out: Sequence[Examples], kind: str, **rules: float) -> list[dict[str, Any]]:
    """Say what a fact helps with, in a space with all facts of the language."""
    from memory.drafts import MemoryDraft

    rows = []
    for given in (one for one in held_out if one.facts):
        drafts = [MemoryDraft(content=fact.content) for fact in given.facts]
        chat = Chat(f"{kind}-{given.language}-{len(rules)}", drafts, **rules)
        answers, found = [], []
        for place, fact in enumerate(given.facts):
            for said in (one for one in fact.utterances if one.kind == kind):
                answers.append(chat.say(said.text))
                found.append(chat.found(answers[-1], [place]))
        if answers:  # one of the sets has no direct questions
            rows.append(_row(f"facts, {kind}, {LANGUAGES[given.language]}", answers, found))
    return rows


def statements_told(
    held_out: Sequence[Examples], kind: str, **rules: float
) -> list[dict[str, Any]]:
    """Say persons' statements and questions, each in a space with that person's memories. A new
    fact and a question without an answer should recall nothing, an update the memory that it
    changes or continues."""
    from memory.drafts import MemoryDraft

    rows = []
    for given in held_out:
        answers, good = [], []
        for number, person in enumerate(given.persons):
            drafts = [MemoryDraft(content=fact.content) for fact in person.memories]
            name = f"{kind.replace(' ', '-')}-{given.language}-{number}-{len(rules)}"
            chat = Chat(name, drafts, **rules)
            for said in (one for one in person.statements if one.kind == kind):
                answers.append(chat.say(said.text))
                found = chat.found(answers[-1], said.helpful) if said.helpful else not answers[-1]
                good.append(float(found))
        if answers:  # only the unseen sets have questions
            rows.append(_row(f"{kind}, {LANGUAGES[given.language]}", answers, good))
    return rows


def _row(
    what: str, answers: Sequence[Sequence[dict[str, Any]]], good: Sequence[float]
) -> dict[str, Any]:
    characters = [sum(len(one["memory"]["content"]) for one in recalled) for recalled in answers]
    return {
        "what": what,
        "n": len(answers),
        "as intended": f"{np.mean(good):.3f}",
        "memories": f"{np.mean([len(recalled) for recalled in answers]):.2f}",
        "tokens": f"{np.mean(characters) / CHARACTERS_A_TOKEN:.0f}",
    }


def measure(path: Path) -> None:
    """Measure all kinds of utterances and save the table."""
    held_out = examples(held_out=True)
    others = [*held_out, *unseen()]
    report, tables = harness.Report("silence"), []
    for title, rules in (("With the default", {}), ("Without a minimum", {"min_relevance": 0.0})):
        rows = [
            nothing_said(path, held_out, **rules),
            questions_asked(path, **rules, limit=3),
            questions_asked(path, **rules, limit=5),
            *facts_asked(others, "direct", **rules),
            *facts_asked(others, "passing", **rules),
            *statements_told(others, "new fact", **rules),
            *statements_told(others, "update", **rules),
            *statements_told(others, "answered question", **rules),
            *statements_told(others, "question without an answer", **rules),
        ]
        report.add(title, rows)
        tables.append(rows)
    report.save(conversations=len(conversations(path)))
    _print_table(*tables)


def _print_table(rows: Sequence[dict[str, Any]], without: Sequence[dict[str, Any]]) -> None:
    """Print the table, with and without the minimum relevance."""
    table = [
        {"": row["what"], **{name: row[name] for name in list(row)[1:]}}
        | {"without a minimum": f"{other['as intended']}, {other['tokens']} tokens"}
        for row, other in zip(rows, without, strict=True)
    ]
    print(harness.table(table))


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="What reaches the model")
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    with harness.own_ebb():
        measure(options.data)


if __name__ == "__main__":
    main()
