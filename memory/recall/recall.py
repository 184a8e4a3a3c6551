"""Recall of relevant memories: one embedding call, one ranking statement, and an explanation.

Recall only reads; it never counts as use. The caller that sends the memories to a model calls
store.uses.mark_used.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db.models import Q

from accounts.models import Space
from foundation import metrics
from foundation.errors import FieldError, InvalidArguments
from foundation.readers import EVERYONE, SHARED, Reader
from memory.embeddings.trust import trust
from memory.embeddings.vectors import embed_questions, question_vectors
from memory.formulas.ranking import (
    PROFILES,
    SIGNALS,
    Profile,
    contributions,
    others_cost,
    past_bonus,
)
from memory.models import Memory
from memory.models.policies import Policy, current_policy
from memory.policy import PolicyDocument
from memory.recall.results import Result
from memory.recall.share import share_of, turn_of
from memory.recall.sql import JUST_MISSED, OTHERS, PAST, Question, Shape, recalled
from memory.recall.times import asked_time
from reader import Message, answers, read
from reader.sentences import split_sentences
from reader.vocabulary import pieces_of

KEYWORDS = 4
"""Pieces of a text that has only words to search for."""
FOUND = 0.5
"""The relevance of a memory that has such a word."""
ASKING = ("question", "request")
MOST_ASKED = 6
"""Sentences of a text that are searched for one by one."""
LOOKED_AT = 16
"""The best memories that are read when only relevant ones are wanted."""


@dataclass(frozen=True)
class SearchRequest:
    """A search by any caller: the API, a page, a tool, the XML interface or the chat.

    `profile` is a name or the caller's own; without it the policy's is used; without a `limit` the
    profile's, then the policy's. Finds memories that the `reader` sees, by default the shared ones,
    limited to an agent or session if given, and to those that fit `where`, a condition on their
    columns and on `current_importance`. `without` excludes memories. Memories below
    `min_relevance` are left out; None means the policy's, for memories that are sent to a model.
    With `explain` each result has its rank without each signal, and the memories just missed are
    returned too. With `as_of` the search answers as if asked at that moment, with the facts of that
    time. A text that several memories have is found once, unless `each_once` is false: the best of
    them, of equally good ones the newest. Only a reader of all users finds it once for each user.
    """

    query: str
    profile: str | Profile | None = None
    limit: int | None = None
    memory_types: Sequence[str] = ()
    tags: Sequence[str] = ()
    where: Q = Q()
    without: Collection[UUID] = ()
    min_relevance: float | None = 0.0
    explain: bool = False
    reader: Reader = SHARED
    agent_id: str | None = None
    session_id: str | None = None
    as_of: datetime | None = None
    each_once: bool = True


@dataclass(frozen=True)
class Recall:
    """The answer to a question: the results, best first; if explained, also the memories just
    missed; in a chat, also the standing rules, which are sent with every question.
    """

    question: Question
    shape: Shape
    policy: Policy
    took_ms: float
    results: Sequence[Result]
    missed: Sequence[Result]
    standing: Sequence[Memory] = ()

    @property
    def query(self) -> str:
        """The text of the question."""
        return self.question.text

    @property
    def profile(self) -> Profile:
        """The ranking profile."""
        return self.shape.profile

    @property
    def memory_ids(self) -> list[UUID]:
        """The ids of the results, best first."""
        return [result.memory.pk for result in self.results]


def profile_named(name: str) -> Profile:
    """Return the ranking profile with this name; raises InvalidArguments."""
    if name not in PROFILES:
        known = ", ".join(PROFILES)
        raise InvalidArguments(FieldError("profile", f"unknown profile {name!r}; known: {known}"))
    return PROFILES[name]


def recall(space: Space, request: SearchRequest, *, now: datetime) -> Recall:
    """Recall the live memories of the space that fit the request. Raises InvalidArguments for an
    unknown profile."""
    started = perf_counter()
    policy = current_policy(space)
    shape = _asked_shape(policy.document, request)
    least = request.min_relevance
    least = policy.document.recall.min_relevance if least is None else least
    question = Question(
        space,
        request.query,
        _embedded(space, request.query),
        request.as_of or now,
        frozenset(request.without),
        least,
        request.reader,
        request.agent_id,
        request.session_id,
        asked_time(request.query, now, request.as_of),
    )
    if least > 0:
        shape = replace(shape, looked_at=LOOKED_AT)
    found = _answer(question, trusting(shape, question), policy, started)
    _measure(found, for_model=request.min_relevance is None)
    return found


def _asked_shape(rules: PolicyDocument, request: SearchRequest) -> Shape:
    asked = request.profile or rules.recall.profile
    profile = asked if isinstance(asked, Profile) else profile_named(asked)
    return replace(
        _shape(rules, profile, request.limit),
        memory_types=tuple(request.memory_types),
        tags=tuple(request.tags),
        where=request.where,
        explain=request.explain,
        each_once=request.each_once,
    )


def _measure(found: Recall, *, for_model: bool) -> None:
    metrics.recall_seconds.observe(found.took_ms / 1000)
    if for_model:
        metrics.recalls.labels("memories" if found.results else "silent").inc()


def trusting(shape: Shape, question: Question) -> Shape:
    """Return the shape, with less semantic weight if the model was hardly trained on the question's
    script.
    """
    trusted = trust(question.space.embedder, question.text)
    return shape if trusted == 1.0 else replace(shape, profile=shape.profile.trusting(trusted))


def explained(found: Recall) -> Recall:
    """Answer the same question again with explanations, as of the same moment and policy, and with
    the same vector. The answer differs only if memories were saved or deleted since then.
    """
    started = perf_counter()
    return _answer(found.question, replace(found.shape, explain=True), found.policy, started)


def compare(
    *,
    space: Space,
    policy: Policy,
    queries: Sequence[str],
    profiles: Sequence[Profile],
    limit: int,
    now: datetime,
    reader: Reader = EVERYONE,
    as_of: datetime | None = None,
) -> Iterator[list[Recall]]:
    """Return, for each question, the answers of these profiles, as of one moment and policy.

    `limit` is the number of results of each answer, whatever the profiles and the policy say. All
    questions are embedded in one call, which is not part of `took_ms`; raises EmbeddingError.
    `as_of` is as in SearchRequest.
    """
    shapes = [_shape(policy.document, profile, limit) for profile in profiles]
    vectors = question_vectors(space.embedder, queries, space=space)
    for text, vector in zip(queries, vectors, strict=True):
        time = asked_time(text, now, as_of)
        question = Question(space, text, vector, as_of or now, reader=reader, time=time)
        yield [
            _answer(question, trusting(shape, question), policy, perf_counter()) for shape in shapes
        ]


def _answer(question: Question, shape: Shape, policy: Policy, started: float) -> Recall:
    with turn_of(question.space, question.text), share_of(question.space):
        rows = recalled(question, shape)
        relevances = _relevances(question, rows)
    found = [_result(*pair, shape) for pair in zip(rows, relevances, strict=True)]
    results = [one for one in found if _is_sent(one, question, shape)][: shape.limit]
    sent = {one.memory.pk for one in results}
    missed = [one for one in found if one.memory.pk not in sent][:JUST_MISSED]
    took_ms = (perf_counter() - started) * 1000
    return Recall(question, shape, policy, took_ms, results, missed)


def _is_sent(one: Result, question: Question, shape: Shape) -> bool:
    if shape.profile.order != "score":  # sorted by date, whatever the question
        return True
    return one.score >= shape.min_score and one.relevance >= question.min_relevance


def _relevances(question: Question, rows: Sequence[Memory]) -> list[float]:
    """Return the probability that each memory answers the question or helps with it."""
    contents = [memory.content for memory in rows]
    best = np.max([_helps(text, contents) for text in _asked(question.text)], axis=0)
    of: dict[UUID | None, float] = {
        memory.pk: max(float(one), _words_found(question.text, memory))
        for memory, one in zip(rows, best, strict=True)
    }
    # In "before Porto", the words fit the memory that names Porto. The answer is the memory it
    # superseded.
    return [
        max(of[memory.pk], of.get(memory.superseded_by, 0.0)) if memory.valid_to else of[memory.pk]
        for memory in rows
    ]


def _asked(text: str) -> list[str]:
    """Return the sentences that ask something, of a text with several; else the text as it is."""
    sentences = split_sentences(text)[:MOST_ASKED]
    asking = [one for one in sentences if read(Message(one)).voice in ASKING]
    return asking if len(asking) > 1 else [text]


def _helps(text: str, contents: Sequence[str]) -> list[float]:
    needed = 1 - read(Message(text)).voices["small_talk"]  # which needs no memory
    return [one.relevance * needed for one in answers(text, contents)]


def _words_found(text: str, memory: Memory) -> float:
    """Return FOUND if the text has only words to search for and the memory has one, else 0."""
    is_found = vars(memory)["signal_lexical"] > 0  # annotated by the statement
    return FOUND if is_found and len(pieces_of(text)) <= KEYWORDS else 0.0


def _shape(rules: PolicyDocument, profile: Profile, limit: int | None) -> Shape:
    return Shape(
        profile=profile,
        decay=rules.decay,
        learn=rules.importance.learn,
        recall=rules.recall,
        language=rules.language,
        limit=limit or profile.limit or rules.recall.limit,
    )


def _embedded(space: Space, query: str) -> npt.NDArray[np.float32]:
    with turn_of(space, query):
        return embed_questions(space.embedder, [query], space=space)[0]


def _result(memory: Memory, relevance: float, shape: Shape) -> Result:
    numbers = vars(memory)  # annotated by the statement
    signals = {name: numbers[f"signal_{name}"] for name in SIGNALS}
    parts = contributions(signals, shape.profile)
    ranks = {name: numbers[f"rank_without_{name}"] for name in parts} if shape.explain else {}
    if numbers.get(PAST):  # its part is 0 for what is true now
        parts["past"] = past_bonus(sum(parts.values()), numbers[PAST])
    if numbers.get(OTHERS):
        parts["others"] = others_cost(sum(parts.values()), numbers[OTHERS])
    return Result(
        memory,
        similarity=signals["semantic"],
        relevance=relevance,
        score=numbers["score"],
        signals=signals,
        contributions=parts,
        rank=numbers.get("rank"),
        rank_without=ranks,
    )
