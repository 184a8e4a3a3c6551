"""Trains what tells the language of a text: a logistic regression on the vectors of its pieces."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from reader.language import LANGUAGES, mean_of
from reader.training.examples import rows

STEPS, RATE = 400, 0.05


def main() -> nn.Module:
    """Return a linear layer from the mean of a text's pieces to the log-odds of LANGUAGES."""
    torch.manual_seed(0)
    messages = list(rows("statement"))
    vectors = torch.from_numpy(np.array([mean_of(row["text"]) for row in messages]))
    labels = torch.tensor([LANGUAGES.index(row["lang"]) for row in messages])
    layer = nn.Linear(vectors.shape[1], len(LANGUAGES))
    optimizer = torch.optim.AdamW(layer.parameters(), lr=RATE, weight_decay=0.01)
    for _ in range(STEPS):
        loss = functional.cross_entropy(layer(vectors), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return layer.eval()
