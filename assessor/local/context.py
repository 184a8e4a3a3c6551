"""The context of a message: features of the conversation around it.

A message that repeats what was just said is worth less. The answer to a question, and a statement
to which the other side reacts, are worth more than their words alone show.
"""

import math
import re
from collections.abc import Iterable, Sequence

from assessor.local.features import CUES
from assessor.local.questions import is_question
from assessor.local.sentences import IMAGE, split_sentences
from assessor.local.words import content_words

EARLIER_TEXTS = 20
FEATURES = ("new", "answers", "acknowledged")
_PAIR = re.compile("(?=([\u3400-\u9fff]{2}))")
_LEAST, _MOST = 0.02, 0.98


def context_features(text: str, reply: str, earlier: Sequence[str]) -> list[float]:
    """Return three features of a message, all 0 without a context.

    `new`: the logarithm of the share of its content that `earlier`, the texts before it, did not
    have. `answers`: 1 if the text before asks a question and the message is a statement.
    `acknowledged`: 1 if the reply begins with a reaction, such as "wow".
    """
    earlier = earlier[-EARLIER_TEXTS:]
    said = _content(text)
    fresh = said - {part for other in earlier for part in _content(other)}
    return [
        math.log1p(len(fresh)) - math.log1p(len(said)),
        float(bool(question_before(earlier)) and not is_question(text)),
        float(CUES["reaction"].search(reply) is not None),
    ]


def question_before(earlier: Sequence[str]) -> str:
    """Return the question at the end of the last text, "" if there is none."""
    sentences = split_sentences(IMAGE.sub(" ", earlier[-1])) if earlier else []
    return sentences[-1] if sentences and is_question(sentences[-1]) else ""


def in_context(importance: float, features: Sequence[float], weights: Iterable[float]) -> float:
    """Return the importance moved by the weighted features, on the scale of log-odds."""
    moved = sum(feature * float(weight) for feature, weight in zip(features, weights, strict=True))
    if not moved or not importance:
        return importance
    return 1 / (1 + math.exp(-log_odds(importance) - moved))


def log_odds(importance: float) -> float:
    """Return the logarithm of importance to the rest; finite also for 0 and 1."""
    bounded = min(max(importance, _LEAST), _MOST)
    return math.log(bounded / (1 - bounded))


def _content(text: str) -> set[str]:
    """Return the uncommon words and the pairs of Chinese characters."""
    return {*content_words(text.replace("[image:", "")), *_PAIR.findall(text)}
