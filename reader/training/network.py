"""The network of `reader.network` in torch, with the same names of weights."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from reader.convolutions import EPSILON, FEATURES, ORDERS, PARTS, WIDTH, encoder_weights, part_name
from reader.network import NEAR
from reader.vocabulary import encoder

HEADS, LAYERS, DROPPED = 4, 2, 0.2


class Convolutions(nn.Module):
    """The encoder's features of each piece; its table of vectors stays as it is."""

    def __init__(self) -> None:
        super().__init__()
        own = {name: torch.from_numpy(np.array(one)) for name, one in encoder_weights().items()}
        self.parts = nn.ModuleList(
            nn.ParameterDict({part: own[part_name(place, part)] for part in PARTS})
            for place in range(len(ORDERS))
        )
        self.gain = nn.Parameter(own["convolutions.gain"])
        self.bias = nn.Parameter(own["convolutions.bias"])
        source: Any = encoder()._model  # the package shows no vectors of pieces
        self._table = torch.from_numpy(source.table)
        self._scale, self._lo = map(torch.from_numpy, (source.scale, source.lo))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return features, (batch, length, 1280); pieces outside of the mask count as zeros."""
        chunk = ids % len(self._scale)
        raw = self._table[ids].float() * self._scale[chunk][..., None]
        raw = raw + self._lo[chunk][..., None]
        inside = mask[..., None].float()
        every = [[parts[name] for name in PARTS] for parts in self.parts]
        projected = torch.cat([raw @ part[0] + part[1] for part in every], -1).float()
        gains, biases = (torch.cat([part[i] for part in every]) for i in (2, 3))
        shape = (len(ORDERS) * WIDTH,)
        x = functional.layer_norm(projected, shape, gains, biases, EPSILON) * inside
        blocks = [raw]
        for one, part, (order, left) in zip(x.chunk(len(ORDERS), -1), every, ORDERS, strict=True):
            first, first_bias, second, second_bias = part[4:]
            h = (functional.relu(_windows(one, order, left) @ first + first_bias) + one) * inside
            blocks.append(functional.relu(_windows(h, order, left) @ second + second_bias) + h)
        joined = torch.cat(blocks, -1).float()
        return functional.layer_norm(joined, (FEATURES,), self.gain, self.bias, EPSILON)


def _windows(x: Tensor, order: int, left: int) -> Tensor:
    padded = functional.pad(x, (0, 0, left, order - 1 - left))
    return torch.cat([padded[:, i : i + x.shape[1]] for i in range(order)], -1)


class Layer(nn.Module):
    """One layer of attention and one of products."""

    def __init__(self) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.f1, self.f2 = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return x, (batch, length, width), after attention with this bias."""
        batch, length, width = x.shape
        shape = (batch, length, HEADS, width // HEADS)
        q, k, v = (part.view(shape).transpose(1, 2) for part in self.qkv(self.n1(x)).chunk(3, -1))
        scores = (q @ k.transpose(-1, -2)).float() / math.sqrt(width // HEADS) + bias
        mixed = (scores.softmax(-1).to(v.dtype) @ v).transpose(1, 2).reshape(x.shape)
        x = x + self.drop(self.o(mixed))
        wide = functional.gelu(self.f1(self.n2(x)), approximate="tanh")
        return x + self.drop(self.f2(wide))


class Network(nn.Module):
    """The network with linear heads of these names and widths."""

    def __init__(self, heads: dict[str, int]) -> None:
        super().__init__()
        self.convolutions = Convolutions()
        self.inp, self.seg = nn.Linear(FEATURES, WIDTH), nn.Embedding(2, WIDTH)
        self.cls = nn.Parameter(torch.zeros(WIDTH))
        self.rel = nn.Embedding(2 * NEAR + 2, HEADS)
        nn.init.zeros_(self.rel.weight)
        self.blocks = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.drop = nn.LayerNorm(WIDTH), nn.Dropout(DROPPED)
        self.heads = nn.ModuleDict({name: nn.Linear(WIDTH, n) for name, n in heads.items()})

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Return vectors, (batch, 1 + length, width): of the whole text and of each piece."""
        x = self.inp(self.drop(self.convolutions(ids, mask))) + self.seg(segments)
        whole = self.cls.expand(len(ids), 1, WIDTH)
        x = torch.cat([whole, x], 1)
        inside = torch.cat([torch.ones(len(ids), 1, dtype=torch.bool), mask], 1)
        hidden = torch.where(inside, 0.0, -1e9)[:, None, None]
        bias = nearness_of(self.rel, x.shape[1]) + hidden
        for block in self.blocks:
            x = block(x, bias)
        return self.norm(x.float())


def nearness_of(embedding: nn.Embedding, length: int) -> Tensor:
    """Return what attention adds for the distance of two places, (1, heads, length, length)."""
    place = torch.arange(length)
    distance = (place[None] - place[:, None]).clamp(-NEAR, NEAR) + NEAR
    distance[0] = distance[:, 0] = 2 * NEAR + 1
    return embedding(distance).permute(2, 0, 1)[None]
