"""Assesses one exchange with the built-in head, for use without a configured model."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assessor.local.features import CUES, is_question
from assessor.local.head import MEMORY_TYPES, Array, Scores, load_head
from assessor.local.restatement import judged_text
from assessor.local.sentences import split_sentences
from assessor.local.summary import summarize
from assessor.local.tagging import find_tags, find_topics

Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]

# Further sentences are not embedded or scored, to limit the time.
MAX_SENTENCES = 24

# Importance above this floor is added for every sentence except the best one.
FACT_FLOOR = 0.25
FACT_GAIN = 0.5

# Factor for messages with questions only. Otherwise the stored question would be the best match
# when it is asked again.
ASKING_SHARE = 0.35
_ASKS_TO_KEEP = re.compile(
    r"\b(?:remind|remember|forget|note)\b|提醒|记得|记住|别忘|记一下", re.IGNORECASE
)
# A message that only asks to forget something gets 0. With more text, it is assessed as usual.
_ASKS_TO_FORGET = re.compile(
    r"\W*(?:(?:please |can you |could you )?forget (?:that|about|what|everything|my|the)\b"
    r"|(?:请|帮我|请帮我)?(?:忘掉|忘记|删掉|删除))[^,.;:!?，。；：！？]*+\W*",
    re.IGNORECASE,
)

# Cues that the reasoning names if the user's words contain them.
_TOLD_CUES = (
    "identity",
    "health",
    "relation",
    "preference",
    "decision",
    "wish",
    "todo",
    "date",
    "feeling",
    "greeting",
    "thanks",
    "reaction",
    "request",
)


@dataclass(frozen=True)
class LocalJudgement:
    """The built-in assessment of an exchange. `importance` and `confidence` are in [0, 1]."""

    importance: float
    memory_type: str
    summary: str
    tags: list[str]
    topics: list[str]
    confidence: float
    reasoning: str


def judge(user_message: str, assistant_response: str, *, embed: Embed) -> LocalJudgement:
    """Assess one exchange. `embed` returns MiniLM vectors, (n, 384) with unit rows, and is called
    once.

    Only the user's text is assessed, except for a bare "yes" whose reply restates the fact.
    """
    text, summary = judged_text(user_message.strip() or "…", assistant_response)
    sentences = split_sentences(text)[:MAX_SENTENCES]
    texts = [text, *sentences]
    scores = load_head().scores(texts, embed(texts))
    importance = _combined(scores.importance)
    if all(is_question(sentence) for sentence in sentences) and not _ASKS_TO_KEEP.search(text):
        importance *= ASKING_SHARE
    if _ASKS_TO_FORGET.fullmatch(text):
        importance = 0.0
    types = _type_probabilities(scores)
    memory_type = MEMORY_TYPES[int(types.argmax())]
    return LocalJudgement(
        importance=round(importance, 3),
        memory_type=memory_type,
        summary=summary or summarize(sentences, scores.importance[1:]),
        tags=find_tags(text, memory_type),
        topics=find_topics(text),
        confidence=round(_confidence(scores, types), 3),
        reasoning=_reasoning(text, memory_type, float(types.max())),
    )


def _combined(scores: Array) -> float:
    """Combine the score of the whole message (first) with the scores of its sentences.

    The best sentence counts as much as the whole, because one fact in a long message scores low.
    Several facts score higher than one.
    """
    whole, sentences = float(scores[0]), scores[1:]
    best = float(sentences.max())
    further = float(np.maximum(sentences - FACT_FLOOR, 0).sum()) - max(best - FACT_FLOOR, 0)
    base = (whole + best) / 2
    return 1 - (1 - base) * float(np.exp(-FACT_GAIN * further))


def _type_probabilities(scores: Scores) -> Array:
    """Average the type probabilities of the message and of its most important sentence; (8,)."""
    best = 1 + int(scores.importance[1:].argmax())
    return np.asarray((scores.types[0] + scores.types[best]) / 2, dtype=np.float32)


def _confidence(scores: Scores, types: Array) -> float:
    """Return the confidence: the type's probability, reduced if message and best
    sentence disagree.
    """
    disagreement = abs(float(scores.importance[0] - scores.importance[1:].max()))
    return float(types.max()) * (1 - min(disagreement, 1.0))


def _reasoning(text: str, memory_type: str, probability: float) -> str:
    told = [name for name in _TOLD_CUES if CUES[name].search(text)][:4]
    cues = f"; wording: {', '.join(told)}" if told else ""
    return f"Reads like {memory_type} ({probability:.0%} sure){cues}"
