"""The network of `reader.network` in torch, with the same names of weights."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from reader.network import NEAR, ORDERS, WIDTH
from reader.vocabulary import encoder

HEADS, LAYERS, DROPPED = 4, 2, 0.2
_FEATURES = 1280
_EPSILON = 1e-12


def _parts_of_encoder() -> tuple[list[Any], Any]:
    """Return the encoder's convolutions as arrays, in the order of `reader.network`."""
    source: Any = encoder()._model  # noqa: SLF001 - the package shows no weights
    found = []
    for i in range(len(ORDERS)):
        columns = slice(i * WIDTH, (i + 1) * WIDTH)
        found += [source.proj_W[:, columns], source.proj_b[columns]]
        found += [source.ln_g_all[columns], source.ln_b_all[columns]]
        found += [source.w1[i], source.b1[i], source.w2[i], source.b2[i]]
    return found, source


class Convolutions(nn.Module):
    """The encoder's features of each piece; its table of vectors stays as it is."""

    def __init__(self) -> None:
        super().__init__()
        parts, source = _parts_of_encoder()
        self.p = nn.ParameterList(nn.Parameter(torch.from_numpy(np.array(one))) for one in parts)
        self.g = nn.Parameter(torch.from_numpy(np.array(source.ln_g)))
        self.b = nn.Parameter(torch.from_numpy(np.array(source.ln_b)))
        self._table = torch.from_numpy(source.table)
        self._scale, self._lo = map(torch.from_numpy, (source.scale, source.lo))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return features, (batch, length, 1280); pieces outside of the mask count as zeros."""
        chunk = ids % len(self._scale)
        raw = self._table[ids].float() * self._scale[chunk][..., None]
        raw = raw + self._lo[chunk][..., None]
        inside = mask[..., None].float()
        blocks = [raw]
        for place, (order, left) in enumerate(ORDERS):
            p, b, gain, bias, w1, b1, w2, b2 = list(self.p)[8 * place : 8 * place + 8]
            x = functional.layer_norm(raw @ p + b, (WIDTH,), gain, bias, _EPSILON) * inside
            h = (functional.relu(_windows(x, order, left) @ w1 + b1) + x) * inside
            blocks.append(functional.relu(_windows(h, order, left) @ w2 + b2) + h)
        joined = torch.cat(blocks, -1).float()
        return functional.layer_norm(joined, (_FEATURES,), self.g, self.b, _EPSILON)


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
        self.cnn = Convolutions()
        self.inp, self.seg = nn.Linear(_FEATURES, WIDTH), nn.Embedding(2, WIDTH)
        self.cls = nn.Parameter(torch.zeros(WIDTH))
        self.rel = nn.Embedding(2 * NEAR + 2, HEADS)
        nn.init.zeros_(self.rel.weight)
        self.blocks = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.drop = nn.LayerNorm(WIDTH), nn.Dropout(DROPPED)
        self.heads = nn.ModuleDict({name: nn.Linear(WIDTH, n) for name, n in heads.items()})

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Return vectors, (batch, 1 + length, width): of the whole text and of each piece."""
        x = self.inp(self.drop(self.cnn(ids, mask))) + self.seg(segments)
        whole = self.cls.expand(len(ids), 1, WIDTH)
        x = torch.cat([whole, x], 1)
        inside = torch.cat([torch.ones(len(ids), 1, dtype=torch.bool), mask], 1)
        hidden = torch.where(inside, 0.0, -1e9)[:, None, None]
        bias = self._nearness(x.shape[1]) + hidden
        for block in self.blocks:
            x = block(x, bias)
        return self.norm(x.float())

    def _nearness(self, length: int) -> Tensor:
        place = torch.arange(length)
        distance = (place[None] - place[:, None]).clamp(-NEAR, NEAR) + NEAR
        distance[0] = distance[:, 0] = 2 * NEAR + 1
        return self.rel(distance).permute(2, 0, 1)[None]
