"""Trains the network that reads a question beside memories: which one answers it, and where."""

import functools
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from reader.answer import ANSWERS, ASKED, HELPS, MEMORY, NEITHER
from reader.comparison import Text, texts_of
from reader.training.comparison import Comparison, batch
from reader.training.examples import rows
from reader.vocabulary import pieces_of

EPOCHS, BATCH, FORGOTTEN, RATE = 6, 16, 0.08, 1e-3
OTHERS = 3
"""Memories beside those that answer or help: the most similar ones, and one by chance."""


@dataclass(frozen=True)
class Asked:
    """A question or remark of a person with these memories. `answering` has the words that answer
    by the memory's place, and `helping` the places of those that help."""

    text: str
    memories: Sequence[str]
    answering: dict[int, list[str]]
    helping: set[int]


def of_person(row: dict[str, Any]) -> list[Asked]:
    """Return what a person asked, from a line of `examples/people`."""
    found = []
    for asked in row["asked"]:
        answering = dict[int, list[str]]()
        for one in asked["answers"]:
            answering.setdefault(one["memory"], []).append(one["span"])
        helping = set(asked["helps"]) - set(answering)
        found.append(Asked(asked["text"], row["memories"], answering, helping))
    return found


def of_pair(row: dict[str, Any]) -> Asked:
    """Return a question with one memory, from a line of `examples/answer`."""
    answering = {0: [row["span"]]} if row["relation"] == "answers" else {}
    helping = {0} if row["relation"] == "helps" else set()
    return Asked(row["asked"], [row["memory"]], answering, helping)


def train(examples: list[Asked]) -> Comparison:
    """Return a network trained on these examples."""
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311 - the order of examples, no secret
    network = Comparison({"answer": 3, "span": 1})
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01)
    steps = EPOCHS * (len(examples) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100) * max(0.0, 1 - step / steps)
    )
    started = time.monotonic()
    for epoch in range(EPOCHS):
        total = 0.0
        for chosen in _batches(examples, chance):
            loss = _loss(network, chosen, chance)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        spent = time.monotonic() - started
        sys.stdout.write(f"answer, epoch {epoch + 1}: loss {total:.0f}, {spent:.0f} s\n")
        sys.stdout.flush()
    return network.eval()


def _batches(examples: list[Asked], chance: random.Random) -> list[list[Asked]]:
    """Return batches of questions of similar length, in random order."""
    chance.shuffle(examples)
    batches = []
    for start in range(0, len(examples), 20 * BATCH):
        near = sorted(examples[start : start + 20 * BATCH], key=lambda one: len(one.text))
        batches += [near[i : i + BATCH] for i in range(0, len(near), BATCH)]
    chance.shuffle(batches)
    return batches


def _loss(network: Comparison, chosen: Sequence[Asked], chance: random.Random) -> Tensor:
    """Return the loss of what each memory is, of the words that answer, and of the choice among the
    memories of a question, with nobody answering as one more choice."""
    pairs = [(row, i) for row, one in enumerate(chosen) for i in _seen(one, chance)]
    first = batch([_asked(chosen[row].text) for row, _ in pairs], FORGOTTEN)
    second = batch([_memory(chosen[row].memories[i]) for row, i in pairs], FORGOTTEN)
    with torch.autocast("cpu", torch.bfloat16):
        pair, pieces, cosines = network(first, second)
    heads = network.heads
    outputs = heads["answer"](pair.float()) + heads["cosines"](cosines.float())
    labels = torch.tensor([_label(chosen[row], i) for row, i in pairs])
    odds = outputs[:, ANSWERS] - outputs[:, [NEITHER, HELPS]].logsumexp(1)
    groups = torch.tensor([row for row, _ in pairs])
    choices = [
        _choice(odds[groups == row], labels[groups == row] == ANSWERS) for row in range(len(chosen))
    ]
    spans = heads["span"](pieces.float())[..., 0]
    tags = _padded([_tags(chosen[row], i) for row, i in pairs], spans.shape[1])
    known = ~tags.isnan()
    missed = functional.binary_cross_entropy_with_logits(spans[known], tags[known])
    where = missed if known.any() else torch.zeros(())
    return functional.cross_entropy(outputs, labels) + where + torch.stack(choices).mean()


def _choice(odds: Tensor, answering: Tensor) -> Tensor:
    shares = torch.cat([odds, torch.zeros(1)]).log_softmax(0)
    return -(shares[:-1][answering].logsumexp(0) if answering.any() else shares[-1])


def _label(one: Asked, memory: int) -> int:
    return ANSWERS if memory in one.answering else HELPS if memory in one.helping else NEITHER


def _seen(one: Asked, chance: random.Random) -> list[int]:
    """Return the memories that answer or help, and OTHERS."""
    wanted = [*one.answering, *one.helping]
    rest = [i for i in range(len(one.memories)) if i not in wanted]
    vector = _asked(one.text).vector
    rest.sort(key=lambda i: -float(vector @ _memory(one.memories[i]).vector))
    near, far = rest[: OTHERS - 1], rest[OTHERS - 1 :]
    return [*wanted, *near, *chance.sample(far, min(1, len(far)))]


@functools.cache
def _asked(text: str) -> Text:
    return _halved(texts_of([pieces_of(text)[:ASKED]])[0])


@functools.cache
def _memory(text: str) -> Text:
    return _halved(texts_of([pieces_of(text)[:MEMORY]])[0])


def _halved(text: Text) -> Text:
    return text._replace(features=text.features.astype(np.float16))


def _tags(one: Asked, memory: int) -> list[float]:
    """Return 1 for each piece of the memory that answers and 0 for the others; nothing if the words
    that answer are not known."""
    text = one.memories[memory]
    spans = [span for span in one.answering.get(memory, []) if span and span in text]
    places = [(text.index(span), text.index(span) + len(span)) for span in spans]
    if not places:
        return []
    pieces = pieces_of(text)[:MEMORY]
    return [0.0, *(float(any(p.start < b and p.end > a for a, b in places)) for p in pieces), 0.0]


def _padded(tags: Sequence[Sequence[float]], length: int) -> Tensor:
    filler = float("nan")
    return torch.tensor([[*row, *[filler] * (length - len(row))] for row in tags])


def main() -> Comparison:
    """Return a network trained on all examples that are not held out."""
    people = [asked for row in rows("people") for asked in of_person(row)]
    return train([*people, *map(of_pair, rows("answer"))])
