"""Runs mem0 as a process of its own: reads one JSON request a line, writes one JSON answer a line.

benchmarks/mem0.py runs this file with the Python of the environment that has mem0, so the file
imports nothing from Ebb. It times mem0's own work, without the pipe. No call leaves the machine:
vectors are given, and no model is asked.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from time import perf_counter
from typing import Any


class GivenVectors:
    """A replacement for mem0's embedder, which already knows each question's vector."""

    def __init__(self) -> None:
        self.vectors: dict[str, list[float]] = {}

    def embed(self, text: str, memory_action: str) -> list[float]:
        """Return the known vector of a text."""
        return self.vectors[text]


class Runner:
    """Carries out requests; its methods have the requests' names."""

    def __init__(self, database_url: str, history: str, dimensions: int) -> None:
        # Not `import mem0`: Ebb's environment, where this file is type-checked, has none.
        self._lemmatized = import_module("mem0.utils.lemmatization").lemmatize_for_bm25
        store = {"connection_string": database_url, "embedding_model_dims": dimensions}
        unused = {"provider": "openai", "config": {"api_key": "none"}}  # mem0 insists on having one
        self._memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "history_db_path": history,
                "llm": unused,
                "embedder": unused,
            }
        )
        self._embedder = self._memory.embedding_model = GivenVectors()

    def insert(
        self,
        user: str,
        ids: Sequence[str],
        texts: Sequence[str],
        vectors: Sequence[Sequence[float]],
        created_at: Sequence[str],
    ) -> None:
        """Insert rows as mem0's `_create_memory` makes them."""
        payloads = [
            {
                "user_id": user,
                "data": text,
                "hash": hashlib.md5(text.encode()).hexdigest(),
                "created_at": moment,
                "updated_at": moment,
                "text_lemmatized": self._lemmatized(text),
            }
            for text, moment in zip(texts, created_at, strict=True)
        ]
        self._memory.vector_store.insert(vectors=vectors, payloads=payloads, ids=ids)

    def stored(self) -> dict[str, Any]:
        """Return the number of rows, after all earlier requests."""
        return {"count": self._memory.vector_store.col_info()["count"]}

    def questions(self, vectors: dict[str, list[float]]) -> None:
        """Store the vectors of the questions."""
        self._embedder.vectors |= vectors

    def nearest(self, user: str, question: str, limit: int) -> dict[str, Any]:
        """Return the answer of the vector store alone."""
        vector, filters = self._embedder.vectors[question], {"user_id": user}
        search = self._memory.vector_store.search
        found, ms = _timed(lambda: search(question, vector, top_k=limit, filters=filters))
        return {"ms": ms, "ids": [row.id for row in found]}

    def search(self, user: str, question: str, limit: int) -> dict[str, Any]:
        """Return the complete result of `Memory.search`; an embedding costs one look into a
        dict."""
        search = self._memory.search
        found, ms = _timed(lambda: search(question, top_k=limit, filters={"user_id": user}))
        return {"ms": ms, "ids": [row["id"] for row in found["results"]]}


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = perf_counter()
    found = work()
    return found, (perf_counter() - started) * 1000


def main() -> None:
    """Answer requests until standard input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer
    database_url, history, dimensions = sys.argv[1:]
    runner = Runner(database_url, history, int(dimensions))
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(runner, request.pop("do"))(**request)
        if answer is not None:
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
