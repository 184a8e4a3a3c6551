"""The stub model's embedding models: real vectors of words, over real HTTP.

A model named `…-64` has 64 dimensions, any other 32. A text's vector is the sum of its words', and
each model has other ones; a question (`input_type`, as Voyage AI has it) leans a little to a side,
so that it matters which kind a text was embedded as. Items come last first: `index` says which is
which. A token is a word. Steps of `embeddings_script`, beside the statuses, `timeout`, `close`,
`garbage` and `half`:

    fewer  more  twice     a vector too few, too many, one place given twice
    nan  zero              a vector that is not finite, one without a direction
    short  ragged  words   a dimension too few, in one vector only, no numbers
"""

import json
import zlib
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.stub_wire import Reply

Vector = npt.NDArray[np.float64]


@cache
def _word(model: str, word: str, dimensions: int) -> Vector:
    return np.random.default_rng(zlib.crc32(f"{model} {word}".encode())).normal(size=dimensions)


def vector_of(model: str, text: str, kind: str | None = None) -> Vector:
    """Not of unit length: that is for the provider's side to see to."""
    suffix = model.rpartition("-")[2]
    dimensions = int(suffix) if suffix.isdigit() else 32
    words = [word.strip(".,!?:").lower() for word in text.split()]
    vectors = [_word(model, word, dimensions) for word in words or [""]]
    leaning = 0.3 * _word(model, "question", dimensions) if kind == "query" else 0
    total: Vector = np.sum(vectors, axis=0) + leaning
    return total


class EmbeddingReply(Reply):
    """One answer to a request for vectors."""

    async def answer(self, request: dict[str, Any]) -> None:
        texts = request["input"]
        if self.step.isdigit():
            await self.refuse_as(request, int(self.step), f"scripted {self.step}")
        elif len(texts) > self.control.most_texts:
            await self.refuse_as(request, 413, "too many texts")
        elif max(map(len, texts), default=0) > self.control.most_characters:
            await self.refuse_as(request, 400, "too long a text")
        elif self.step == "timeout":
            await self.silence()
        else:
            await self.vectors(request, texts)

    async def refuse_as(self, request: dict[str, Any], status: int, why: str) -> None:
        """In Voyage AI's words or in OpenAI's."""
        said = {"detail": why} if "input_type" in request else {"error": {"message": why}}
        pause = [(b"retry-after", self.argument.encode())] if self.argument else []
        await self.whole(status, json.dumps(said).encode(), *pause)

    async def vectors(self, request: dict[str, Any], texts: list[str]) -> None:
        kind = request.get("input_type")
        rows = [vector_of(request["model"], text, kind).tolist() for text in texts]
        items = [
            {"object": "embedding", "index": place, "embedding": self.spoilt(place, row)}
            for place, row in enumerate(rows)
        ]
        items = {"fewer": items[1:], "more": [*items, {**items[0], "index": len(items)}]}.get(
            self.step, [*items, items[0]] if self.step == "twice" else items
        )
        words = sum(len(text.split()) for text in texts)
        usage = {"total_tokens": words} | ({} if kind else {"prompt_tokens": words})
        answer = {"object": "list", "data": items[::-1], "model": request["model"], "usage": usage}
        body = json.dumps(answer)
        if self.step == "close":
            await self.start(200, [(b"content-type", b"application/json")])
            await self.part(body[: len(body) // 2])
        elif self.step in {"garbage", "half"}:
            text = "<html>no vectors</html>" if self.step == "garbage" else body[: len(body) // 2]
            await self.whole(200, text.encode())
        else:
            await self.whole(200, body.encode())

    def spoilt(self, place: int, row: list[float]) -> list[Any]:
        if self.step == "short" or (self.step == "ragged" and place == 0):
            return row[:-1]
        changes: dict[str, list[Any]] = {
            "nan": [float("nan"), *row[1:]],
            "zero": [0.0] * len(row),
            "words": ["seven"] * len(row),
        }
        return changes.get(self.step, row)
