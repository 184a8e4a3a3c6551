"""Trains the network that tells the language of a text."""

import random

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from reader.convolutions import embedded
from reader.language import LANGUAGES, READ
from reader.training.examples import rows
from reader.vocabulary import pieces_of

EPOCHS, BATCH, RATE, INNER, FORGOTTEN = 6, 256, 3e-3, 64, 0.2
SHORT = (2, 9)  # words or characters


class Network(nn.Module):
    """One layer for each piece, and one for their mean."""

    def __init__(self) -> None:
        super().__init__()
        self.piece, self.text = nn.Linear(512, INNER), nn.Linear(INNER, len(LANGUAGES))

    def forward(self, pieces: Tensor, mask: Tensor) -> Tensor:
        """Return log-odds of LANGUAGES from vectors of pieces, (batch, length, 512)."""
        inner = functional.relu(self.piece(pieces)) * mask[..., None]
        return self.text(inner.sum(1) / mask.sum(1, keepdim=True).clamp(min=1))


def main() -> Network:
    """Return a network trained on the messages, and on a few words of each."""
    torch.manual_seed(0)
    chance = random.Random(0)  # noqa: S311 - parts of examples, no secret
    texts = [(row["text"], row["lang"]) for row in rows("statement")]
    texts += [(_part(text, chance), language) for text, language in texts for _ in range(2)]
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01)
    for _ in range(EPOCHS):
        chance.shuffle(texts)
        for start in range(0, len(texts), BATCH):
            chosen = texts[start : start + BATCH]
            labels = torch.tensor([LANGUAGES.index(language) for _, language in chosen])
            loss = functional.cross_entropy(network(*_batch([text for text, _ in chosen])), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return network.eval()


def _batch(texts: list[str]) -> tuple[Tensor, Tensor]:
    ids = [[piece.id for piece in pieces_of(text)[:READ]] for text in texts]
    longest = max(map(len, ids))
    padded = np.array([row + [0] * (longest - len(row)) for row in ids])
    mask = torch.tensor([[1.0] * len(row) + [0.0] * (longest - len(row)) for row in ids])
    mask = mask * (torch.rand(mask.shape) >= FORGOTTEN)
    return torch.from_numpy(embedded(padded.ravel()).reshape(*padded.shape, -1)), mask


def _part(text: str, chance: random.Random) -> str:
    """Return a few words of a text in a row, or characters where it has few spaces."""
    words = text.split() if len(text.split()) > len(text) / 20 else list(text)
    length = chance.randint(*SHORT)
    start = chance.randrange(max(1, len(words) - length))
    return (" " if len(words) < len(text) else "").join(words[start : start + length])
