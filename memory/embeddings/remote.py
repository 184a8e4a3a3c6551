"""Shared parts of all remote embedders: batches, retries and validation of answers.

A provider's module only says what it sends, and where (`_place`, `_body`).
"""

import random
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict, Unpack

import numpy as np

from memory.embeddings.base import Embedder, EmbeddingError, TextKind, TextsRefused, Vectors
from memory.embeddings.failures import Failure
from memory.embeddings.groups import fitting

# Limits of one request. OpenAI accepts 2,048 texts and 300,000 tokens, Voyage AI 1,000 and, for
# its largest models, 120,000; a character is seldom more than two tokens.
MAX_TEXTS = 128
MAX_CHARACTERS = 60_000
_LEAST_TIMEOUT = 0.1  # seconds: a pause may end after the time is up
# An endpoint that refuses a text of this length refuses it for another reason.
SHORT = 500  # characters
READS = 1500
"""UTF-8 bytes that one vector represents: some 375 tokens in English and 500 in Chinese. Many open
models read 512 tokens, and endpoints do not say how many theirs reads."""


@dataclass(frozen=True)
class Patience:
    """Time limits in seconds for one request with all its retries; a single attempt gets half.

    Queries have a short limit because a user is waiting; documents may take longer.
    """

    query: float = 10.0
    document: float = 50.0  # less than a job's lease
    attempts: int = 4
    first_pause: float = 0.5  # doubles with each retry

    def seconds(self, kind: TextKind) -> float:
        """Return the limit for texts of this kind."""
        return self.query if kind == "query" else self.document


PATIENT = Patience()


class RemoteOptions(TypedDict):
    """Constructor options of every remote embedder. `public_only` refuses private addresses."""

    base_url: str
    api_key: str
    model: str
    dimensions: int
    patience: NotRequired[Patience]
    public_only: NotRequired[bool]


class RemoteEmbedder(Embedder):
    """Base of embedders that call an endpoint."""

    def __init__(self, **options: Unpack[RemoteOptions]) -> None:
        self.model = options["model"]
        self.dimensions = options["dimensions"]
        self._patience = options.get("patience", PATIENT)
        from memory.embeddings.wire import Wire  # loads the HTTP library

        base_url = options["base_url"] or self._place(options["api_key"])
        self._wire = Wire(
            base_url, options["api_key"], public_only=options.get("public_only", False)
        )

    @abstractmethod
    def _place(self, api_key: str) -> str:
        """Return the provider's own URL for this key."""

    @abstractmethod
    def _body(self, texts: Sequence[str], *, kind: TextKind) -> dict[str, object]:
        """Return the JSON object to send for these texts."""

    def close(self) -> None:
        """Close the client's connections."""
        self._wire.close()

    def listed_models(self) -> list[str]:
        """Return the names of the endpoint's models, [] if it lists none. Raises EmbeddingError."""
        return []

    def reads(self, text: str) -> int:
        """Implement Embedder.reads."""
        return fitting(text, READS)

    def embed(self, texts: Sequence[str], *, kind: TextKind = "document") -> Vectors:
        """Implement Embedder.embed. Texts longer than the model accepts are cut off, as by
        MiniLM.
        """
        return self.embed_counted(texts, kind=kind, counts=[])

    def embed_counted(
        self, texts: Sequence[str], *, kind: TextKind, counts: list[int | None]
    ) -> Vectors:
        """Embed the texts as `embed` does. The tokens of each answer are added to `counts`, None if
        the endpoint did not count them."""
        try:
            "".join(texts).encode()
        except UnicodeEncodeError as error:  # a lone surrogate
            raise EmbeddingError("The text is not valid Unicode", permanent=True) from error
        rows = [self._embed_batch(batch, kind, counts) for batch in _batches(texts)]
        return np.concatenate([np.empty((0, self.dimensions), np.float32), *rows])

    def count_dimensions(self) -> int:
        """Ask the endpoint for the length of this model's vectors. Raises EmbeddingError."""
        texts = ["How long is a vector?"]
        dimensions: int = _vectors(self._patiently(texts, "document"), texts, self.model).shape[1]
        return dimensions

    def _embed_batch(
        self, texts: Sequence[str], kind: TextKind, counts: list[int | None]
    ) -> Vectors:
        try:
            answer = self._patiently(texts, kind)
        except TextsRefused:
            # Endpoints report an oversized request in many ways, so retry with half the texts, or
            # half of a long text. A request refused for another reason fails on the first half.
            half = (len(texts) if len(texts) > 1 else len(texts[0])) // 2
            if len(texts) > 1:
                halves = (texts[:half], texts[half:])
                return np.concatenate([self._embed_batch(one, kind, counts) for one in halves])
            if half < SHORT:
                raise
            return self._embed_batch([texts[0][:half]], kind, counts)
        counts.append(_tokens(answer))
        vectors = _vectors(answer, texts, self.model)
        if vectors.shape[1] != self.dimensions:
            raise EmbeddingError(
                f"The embedding endpoint returns vectors of {vectors.shape[1]} dimensions for "
                f"{self.model}, not of {self.dimensions}. It is a different model of that name.",
                permanent=True,
            )
        return vectors

    def _patiently(self, texts: Sequence[str], kind: TextKind) -> object:
        """Return the answer, after retries where they may help and time remains."""
        seconds = self._patience.seconds(kind)
        deadline = time.monotonic() + seconds
        pause = self._patience.first_pause
        attempts = self._patience.attempts
        while True:
            timeout = max(_LEAST_TIMEOUT, min(seconds / 2, deadline - time.monotonic()))
            try:
                return self._wire.post("/embeddings", self._body(texts, kind=kind), timeout)
            except EmbeddingError as error:
                attempts -= 1
                spread = random.uniform(0.5, 1.0)  # noqa: S311 - nothing depends on its secrecy
                wait = max(error.retry_after or 0.0, pause * spread)
                if error.permanent or not attempts or time.monotonic() + wait >= deadline:
                    raise
            time.sleep(wait)
            pause *= 2


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the texts in order, as many at a time as one request may contain."""
    start = characters = 0
    for place, text in enumerate(texts):
        full = place - start == MAX_TEXTS or characters + len(text) > MAX_CHARACTERS
        if full and place > start:
            yield texts[start:place]
            start, characters = place, 0
        characters += len(text)
    if start < len(texts):
        yield texts[start:]


def _tokens(answer: object) -> int | None:
    """Return the tokens that the endpoint counted: OpenAI names those of the prompt, Voyage AI the
    total."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    if not isinstance(usage, dict):
        return None
    counted = usage.get("prompt_tokens", usage.get("total_tokens"))
    return counted if isinstance(counted, int) and 0 <= counted < 1 << 30 else None


def _vectors(answer: object, texts: Sequence[str], model: str) -> Vectors:
    """Return the unit vectors of an answer `{"data": [{"index", "embedding"}, …]}`, in the texts'
    order.

    Raises EmbeddingError if the answer has another form, or not one vector for each text.
    """
    try:
        items = {item["index"]: item["embedding"] for item in answer["data"]}  # type: ignore[index]  # or a TypeError
        count = len(answer["data"])  # type: ignore[index]
        rows = np.array([items[place] for place in range(len(texts))], dtype=np.float64)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise Failure.BAD_ANSWER.error(type(error).__name__) from None
    if count != len(texts) or rows.ndim != 2 or rows.shape[1] == 0:
        raise Failure.BAD_ANSWER.error(f"{count} vectors for {len(texts)} texts")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise Failure.BAD_ANSWER.error(
            f"{model} returned a vector that is not finite or has length 0"
        )
    units: Vectors = (rows / lengths).astype(np.float32)
    return units
