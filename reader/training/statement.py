"""Trains the network that reads a message: its worth, its voice, and its facts."""

import random
import sys
import time
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from reader.statement import ABOUT, BEGINNINGS, FACETS, TYPES, VOICES
from reader.training.examples import UNKNOWN, Example, chains, message, pairs, rows, weighed
from reader.training.network import Network

HEADS = {
    "keep": 1, "importance": 1, "voice": len(VOICES), "tag": 3, "ftype": len(TYPES),
    "fnum": 1 + len(FACETS), "fabout": len(ABOUT), "fcorr": 1, "about": len(ABOUT),
}  # fmt: skip
EPOCHS, BATCH, FORGOTTEN = 6, 32, 0.1
RATE, RATE_OF_ENCODER = 1e-3, 2e-4
JOINED, CHAINED = 0.15, 0.3  # messages made of two, and of single facts, as a share of all


def train(messages: Sequence[dict[str, Any]], importances: Sequence[dict[str, Any]]) -> Network:
    """Return a network trained on labelled messages and on messages with an importance only."""
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311 - the order of examples, no secret
    network = Network(HEADS)
    optimizer = _optimizer(network)
    several = [row for row in messages if len(row["facts"]) > 1]  # rare, so they are seen twice
    known = [*map(message, [*messages, *several]), *map(weighed, importances)]
    steps = EPOCHS * (int(len(known) * (1 + JOINED + CHAINED)) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 100) * max(0.0, 1 - step / steps)
    )
    started = time.monotonic()
    for epoch in range(EPOCHS):
        made = pairs(list(messages), JOINED, chance) + chains(list(messages), CHAINED, chance)
        total = 0.0
        for batch in _batches([*known, *map(message, made)], chance):
            loss = _loss(network, batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        spent = time.monotonic() - started
        sys.stdout.write(f"epoch {epoch + 1}: loss {total:.0f}, {spent:.0f} s\n")
        sys.stdout.flush()
    return network.eval()


def _optimizer(network: Network) -> torch.optim.Optimizer:
    """Return an optimizer that trains the encoder's convolutions slowly."""
    own = [one for name, one in network.named_parameters() if "convolutions" not in name]
    encoder = {"params": network.convolutions.parameters(), "lr": RATE_OF_ENCODER}
    return torch.optim.AdamW([{"params": own, "lr": RATE}, encoder], weight_decay=0.01)


def _batches(examples: list[Example], chance: random.Random) -> list[list[Example]]:
    """Return batches of texts of similar length, in random order."""
    chance.shuffle(examples)
    batches = []
    for start in range(0, len(examples), 20 * BATCH):
        near = sorted(examples[start : start + 20 * BATCH], key=lambda one: len(one.ids))
        batches += [near[i : i + BATCH] for i in range(0, len(near), BATCH)]
    chance.shuffle(batches)
    return batches


def _loss(network: Network, batch: list[Example]) -> Tensor:
    longest = max(len(one.ids) for one in batch)
    ids, segments = _padded(batch, "ids", longest, 0), _padded(batch, "segments", longest, 0)
    tags = _padded(batch, "tags", longest, UNKNOWN)
    mask = torch.arange(longest)[None] < torch.tensor([[len(one.ids)] for one in batch])
    forgotten = (torch.rand(ids.shape) < FORGOTTEN) & (ids > 2)
    with torch.autocast("cpu", torch.bfloat16):
        x = network(torch.where(forgotten, 0, ids), segments, mask)
    heads, whole = network.heads, x[:, 0]
    worth = _binary(heads["keep"](whole)[:, 0], [one.worth for one in batch])
    importance = _binary(heads["importance"](whole)[:, 0], [one.importance for one in batch])
    voice = _choice(heads["voice"](whole), [one.voice for one in batch])
    about = _choice(heads["about"](whole), [one.about for one in batch])
    tag = functional.cross_entropy(
        heads["tag"](x[:, 1:]).flatten(0, 1),
        tags.flatten(),
        torch.tensor([1.0, BEGINNINGS, 1.0]),
        ignore_index=UNKNOWN,
        reduction="sum",
    ) / (tags != UNKNOWN).sum().clamp(min=1)
    return worth + importance + 0.5 * voice + 0.2 * about + tag + _loss_of_facts(heads, x, batch)


def _loss_of_facts(heads: nn.ModuleDict, x: Tensor, batch: list[Example]) -> Tensor:
    facts = [(row, fact) for row, one in enumerate(batch) for fact in one.facts]
    if not facts:
        return torch.zeros(())
    spans = [x[row, 1 + fact[0] : 1 + fact[1]].mean(0) + x[row, 0] for row, fact in facts]
    vectors = torch.stack(spans)
    numbers = torch.tensor([fact[3] for _, fact in facts])
    known = ~numbers.isnan()
    missed = (heads["fnum"](vectors) - numbers.nan_to_num())[known].square().mean()
    return (
        0.4 * _choice(heads["ftype"](vectors), [fact[2] for _, fact in facts])
        + 0.2 * _choice(heads["fabout"](vectors), [fact[4] for _, fact in facts])
        + 0.2 * _binary(heads["fcorr"](vectors)[:, 0], [fact[5] for _, fact in facts])
        + 2 * missed
    )


def _choice(outputs: Tensor, labels: list[int]) -> Tensor:
    """Return the mean cross-entropy over the known labels, 0 without any."""
    found = torch.tensor(labels)
    total = functional.cross_entropy(outputs, found, ignore_index=UNKNOWN, reduction="sum")
    return total / (found != UNKNOWN).sum().clamp(min=1)


def _binary(outputs: Tensor, labels: list[float]) -> Tensor:
    """Return the mean binary cross-entropy over the known labels."""
    found = torch.tensor(labels)
    known = ~found.isnan()
    if not known.any():
        return torch.zeros(())
    return functional.binary_cross_entropy_with_logits(outputs[known], found[known])


def _padded(batch: list[Example], name: str, length: int, filler: int) -> Tensor:
    values = [getattr(one, name) for one in batch]
    return torch.tensor([row + [filler] * (length - len(row)) for row in values])


def main() -> Network:
    """Return a network trained on all examples that are not held out."""
    return train(list(rows("statement")), list(rows("importance")))
