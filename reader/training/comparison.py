"""The network of `reader.comparison` in torch, with the same names of weights."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from reader.comparison import COSINES, DIFFERENCES, FIRST, PRODUCTS, SECOND, Text
from reader.convolutions import FEATURES, WIDTH
from reader.training.network import DROPPED, HEADS, LAYERS, Layer, nearness_of
from reader.vocabulary import END

_VECTOR, _TURNED = 512, 64


class Texts(NamedTuple):
    """A batch of texts: ids, (batch, length), features, vectors, and where there are pieces."""

    ids: Tensor
    features: Tensor
    vectors: Tensor
    mask: Tensor


def batch(texts: Sequence[Text], forgotten: float = 0.0) -> Texts:
    """Return texts side by side; a share of their pieces is forgotten."""
    longest = max(len(one.ids) for one in texts)
    ids = torch.zeros(len(texts), longest, dtype=torch.long)
    features = torch.zeros(len(texts), longest, FEATURES)
    mask = torch.zeros(len(texts), longest, dtype=torch.bool)
    for row, one in enumerate(texts):
        length = len(one.ids)
        ids[row, :length] = torch.from_numpy(one.ids)
        features[row, :length] = torch.from_numpy(one.features).float()
        mask[row, :length] = True
    gone = (torch.rand(ids.shape) < forgotten) & (ids > END)
    features = features * (~gone)[..., None]
    vectors = torch.stack([torch.from_numpy(one.vector) for one in texts])
    return Texts(torch.where(gone, 0, ids), features, vectors, mask)


class Comparison(nn.Module):
    """The network with linear heads of these names and widths."""

    def __init__(self, heads: dict[str, int]) -> None:
        super().__init__()
        self.inp, self.near = nn.Linear(FEATURES, WIDTH), nn.Linear(3, WIDTH)
        self.seg, self.rel = nn.Embedding(2, WIDTH), nn.Embedding(2 * 16 + 2, HEADS)
        self.cross = nn.Embedding(1, HEADS)
        self.cls, self.whole = nn.Parameter(torch.zeros(WIDTH)), nn.Linear(4, WIDTH)
        self.vectors = nn.Linear(2 * _VECTOR, WIDTH)
        self.down = nn.Linear(_VECTOR, _TURNED, bias=False)
        self.up = nn.Linear(_TURNED, _VECTOR, bias=False)
        self.blocks = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm, self.drop = nn.LayerNorm(WIDTH), nn.Dropout(DROPPED)
        self.heads = nn.ModuleDict({name: nn.Linear(WIDTH, n) for name, n in heads.items()})
        self.heads["cosines"] = nn.Linear(2, 3)
        for one in (self.rel, self.cross, self.up, self.heads["cosines"]):
            nn.init.zeros_(one.weight)

    def forward(self, first: Texts, second: Texts) -> tuple[Tensor, Tensor, Tensor]:
        """Return `reader.comparison.Compared` for each pair of texts of two batches."""
        turned = functional.normalize(first.vectors + self.up(self.down(first.vectors)), dim=-1)
        with torch.no_grad():
            near_first, near_second, near = _nearness(first, second)
        product = turned * second.vectors * PRODUCTS
        difference = (turned - second.vectors).abs() * DIFFERENCES
        beside = self.drop(torch.cat([product, difference], -1))
        whole = self.cls + self.whole(near) + self.vectors(beside)
        x = [whole[:, None], self._pieces(first, near_first, FIRST)]
        x = torch.cat([*x, self._pieces(second, near_second, SECOND)], 1)
        inside = torch.ones(len(x), 1, dtype=torch.bool)
        inside = torch.cat([inside, first.mask, second.mask], 1)
        hidden = torch.where(inside, 0.0, -1e9)[:, None, None]
        bias = self._places(first.ids.shape[1], x.shape[1]) + hidden
        for block in self.blocks:
            x = block(x, bias)
        x = self.norm(x.float())
        pairs = (first.vectors * second.vectors).sum(-1), (turned * second.vectors).sum(-1)
        return x[:, 0], x[:, 1 + first.ids.shape[1] :], torch.stack(pairs, -1) * COSINES

    def _pieces(self, texts: Texts, near: Tensor, segment: int) -> Tensor:
        return self.inp(self.drop(texts.features)) + self.seg.weight[segment] + self.near(near)

    def _places(self, first: int, length: int) -> Tensor:
        place = torch.arange(length)
        second = place > first
        across = (second[None] != second[:, None]) & (place[None] > 0) & (place[:, None] > 0)
        return torch.where(
            across, self.cross.weight[0][:, None, None], nearness_of(self.rel, length)
        )


def _nearness(first: Texts, second: Texts) -> tuple[Tensor, Tensor, Tensor]:
    """Return `reader.comparison.nearness` of each pair."""
    texts = (first, second)
    pieces = [functional.normalize(one.features, dim=-1) * one.mask[..., None] for one in texts]
    wholes = [functional.normalize(one.sum(1), dim=-1) for one in pieces]
    cosines = pieces[0] @ pieces[1].transpose(1, 2)
    same = (first.ids[:, :, None] == second.ids[:, None]) & (first.ids > END)[..., None]
    same = (same & second.mask[:, None]).float()
    near = [
        torch.stack(
            [cosines.amax(2 - i), same.amax(2 - i), (pieces[i] @ wholes[1 - i][..., None])[..., 0]],
            dim=-1,
        )
        for i in (0, 1)
    ]
    means = [near[i].sum(1) / texts[i].mask.sum(1, keepdim=True) for i in (0, 1)]
    whole = [(wholes[0] * wholes[1]).sum(-1), means[0][:, 0], means[1][:, 0], means[0][:, 1]]
    return near[0], near[1], torch.stack(whole, -1)
