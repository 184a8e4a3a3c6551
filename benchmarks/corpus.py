"""Texts and vectors to fill spaces with: varied, plausible, and the same for the same seed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random

import numpy as np
import numpy.typing as npt

from accounts.models import Space
from foundation.actors import Actor
from memory.drafts import MemoryDraft, Source
from memory.embeddings.vectors import embed
from memory.models.policies import current_policy
from memory.store.services import Prepared, store_memories
from memory.text.passages import passages

PEOPLE = [
    "Ana", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas",
    "Keiko", "Lars", "Mina", "Noor",
]  # fmt: skip
PLACES = [
    "Lisbon", "Porto", "Oslo", "Kyoto", "Tartu", "Ghent", "Lyon", "Quito", "Hanoi", "Bergen",
    "Cork", "Graz", "Turin",
]  # fmt: skip
THINGS = [
    "the allotment", "the translation of the novel", "her cello", "a sourdough starter",
    "the budget review", "the kitchen renovation", "an old bicycle", "the marathon plan",
    "the choir", "a tax return", "the puppy", "the physics exam", "a pottery course",
    "the holiday photos", "the roof terrace", "the chess club",
]  # fmt: skip
FEELINGS = ["proud of", "tired of", "worried about", "excited about", "unsure about", "done with"]
PATTERNS = (
    "{a} moved from {p} to {q} in {month} and misses {t}",
    "I am {f} {t}, mostly because {a} asked me about it again in {p}",
    "{a} is allergic to {food} and never eats it, not even in {p}",
    "Remind me to call {a} about {t} before the {n}th of {month}",
    "We decided to spend {n} days in {p} with {a} and leave {t} for later",
    "{a} prefers {food} to {drink} and is {f} {t}",
    "My goal for {month} is to finish {t} and to run {n} kilometres in {p}",
    "{a} met {b} at the market in {p}; they talked about {t} over {drink}",
    "The doctor in {q} told {a} to drink less {drink} for {n} weeks",
    "{b} sold {t} to {a} for {n} hundred and bought {food} for everybody",
)
FOOD = [
    "peanuts", "shellfish", "penne", "walnuts", "rye bread", "goat cheese", "mango", "lentils",
    "mushrooms",
]  # fmt: skip
DRINKS = ["coffee", "green tea", "oat milk", "red wine", "ginger beer", "mint tea"]
MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "September", "October",
    "November",
]  # fmt: skip
TYPES = ("identity", "goal", "decision", "todo", "preference", "fact", "event", "observation")
QUESTIONS = (
    "where does {a} live?",
    "what is {a} allergic to?",
    "who did {a} meet in {p}?",
    "what did we decide about {t}?",
    "when do I have to call {a} about {t}?",
    "does {a} like {drink} or {food} more?",
    "what is my goal for {month}?",
)


def _words(random: Random) -> dict[str, object]:
    a, b = random.sample(PEOPLE, 2)
    p, q = random.sample(PLACES, 2)
    pick = random.choice
    return {
        **{"a": a, "b": b, "p": p, "q": q, "t": pick(THINGS), "f": pick(FEELINGS)},
        **{"food": pick(FOOD), "drink": pick(DRINKS), "month": pick(MONTHS)},
        "n": random.randint(2, 30),
    }


def sentences(count: int, *, seed: int) -> list[str]:
    """Return texts of one to three sentences, 8 to 60 words each."""
    random = Random(seed)
    return [
        ". ".join(
            random.choice(PATTERNS).format(**_words(random)) for _ in range(random.randint(1, 3))
        )
        for _ in range(count)
    ]


def questions(count: int, *, seed: int) -> list[str]:
    """Return questions about the sentences' subjects."""
    random = Random(seed)
    return [random.choice(QUESTIONS).format(**_words(random)) for _ in range(count)]


def blended(
    space: Space, count: int, *, seed: int, stems: int = 2000
) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Return texts of two or three sentences, with vectors near those that the embedder would make.

    A vector is the mean of its sentences' real vectors plus noise of their covariance, scaled to
    unit length. So the similarities of nearest neighbours and the local intrinsic dimension equal
    those of real vectors (.75 and 15 at 1,500). With isotropic clusters, an index's recall would
    mean nothing. Vectors: shape (count, dimensions).
    """
    picked, random = Random(seed), np.random.default_rng(seed)
    sentence = [picked.choice(PATTERNS).format(**_words(picked)) for _ in range(stems)]
    real = embed(space.embedder, sentence)
    spread = (real - real.mean(axis=0)) / np.sqrt(stems)
    texts, vectors = [], np.empty((count, real.shape[1]), dtype=np.float32)
    for row in range(count):
        chosen = picked.sample(range(stems), picked.randint(2, 3))
        texts.append(". ".join(sentence[number] for number in chosen))
        vectors[row] = real[chosen].sum(axis=0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for start in range(0, count, 1000):
        part = vectors[start : start + 1000]
        part += 0.2 * random.standard_normal((len(part), stems), dtype=np.float32) @ spread
    return texts, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def fill(space: Space, count: int, *, now: datetime, seed: int, embedded: bool = False) -> None:
    """Save this many memories of the last year through the service. If `embedded`, each has the
    vector of its own text (about 50 a second), otherwise a blended one."""
    random = Random(seed)
    if embedded:
        texts = sentences(count, seed=seed)
        vectors = embed(space.embedder, texts)
    else:
        texts, vectors = blended(space, count, seed=seed)
    policy = current_policy(space)
    for start in range(0, count, 1000):
        part = slice(start, start + 1000)
        drafts = _drafts(texts[part], random, now)
        prepared = Prepared(
            space, drafts, passages(drafts, now), {space.embedder_id: vectors[part, None]}, policy
        )
        store_memories(prepared=prepared, actor=Actor("system", "benchmark"), now=now)


def _drafts(texts: Sequence[str], random: Random, now: datetime) -> list[MemoryDraft]:
    return [
        MemoryDraft.model_validate(
            {
                "content": text,
                "memory_type": random.choice(TYPES),
                "importance": round(random.random(), 3),
                "tags": random.sample(THINGS, 2),
                "created_at": now - timedelta(days=random.uniform(0, 365)),
                "source": Source(role="user"),
            }
        )
        for text in texts
    ]
