"""Judges one finished exchange: what the pipeline calls when no model with a key is configured."""

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

# Sentences beyond these are neither embedded nor scored: they would cost time without bound.
MAX_SENTENCES = 24

# A sentence below this says little; what it has above is added for every sentence but the best.
FACT_FLOOR = 0.25
FACT_GAIN = 0.5

# Who only asks tells little, whatever the question is about: asked again tomorrow, the question
# itself would be the best match for it.
ASKING_SHARE = 0.35
_ASKS_TO_KEEP = re.compile(
    r"\b(?:remind|remember|forget|note)\b|提醒|记得|记住|别忘|记一下", re.IGNORECASE
)
# Who only asks to forget something tells nothing. With more said beside it, it is judged.
_ASKS_TO_FORGET = re.compile(
    r"\W*(?:(?:please |can you |could you )?forget (?:that|about|what|everything|my|the)\b"
    r"|(?:请|帮我|请帮我)?(?:忘掉|忘记|删掉|删除))[^,.;:!?，。；：！？]*+\W*",
    re.IGNORECASE,
)

# Named in the reasoning when the user's words contain them.
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
    """What an exchange is worth. `importance` and `confidence` are in [0, 1]."""

    importance: float
    memory_type: str
    summary: str
    tags: list[str]
    topics: list[str]
    confidence: float
    reasoning: str


def judge(user_message: str, assistant_response: str, *, embed: Embed) -> LocalJudgement:
    """Judge one exchange. `embed` gives MiniLM vectors, (n, 384) with unit rows; it is called once.

    Only what the user said is judged, except for a bare "yes" whose reply restates the fact.
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
    """Join the score of the whole message, first, with those of its sentences.

    A long friendly message drowns its one fact, so the best sentence counts as much as the whole;
    and several facts are worth more than one.
    """
    whole, sentences = float(scores[0]), scores[1:]
    best = float(sentences.max())
    further = float(np.maximum(sentences - FACT_FLOOR, 0).sum()) - max(best - FACT_FLOOR, 0)
    base = (whole + best) / 2
    return 1 - (1 - base) * float(np.exp(-FACT_GAIN * further))


def _type_probabilities(scores: Scores) -> Array:
    """Average the whole message's types with those of its weightiest sentence; (8,)."""
    best = 1 + int(scores.importance[1:].argmax())
    return np.asarray((scores.types[0] + scores.types[best]) / 2, dtype=np.float32)


def _confidence(scores: Scores, types: Array) -> float:
    """Say how sure the head is: of the type, and of message and best sentence being worth alike."""
    disagreement = abs(float(scores.importance[0] - scores.importance[1:].max()))
    return float(types.max()) * (1 - min(disagreement, 1.0))


def _reasoning(text: str, memory_type: str, probability: float) -> str:
    told = [name for name in _TOLD_CUES if CUES[name].search(text)][:4]
    cues = f"; wording: {', '.join(told)}" if told else ""
    return f"Reads like {memory_type} ({probability:.0%} sure){cues}"
