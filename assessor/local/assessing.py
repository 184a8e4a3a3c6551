"""Assesses one exchange with the built-in head, for use without a configured model."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assessor.local.context import context_features, in_context, question_before
from assessor.local.facets import DIGITS, STEPS, load_facet_heads
from assessor.local.features import CUES, word_count
from assessor.local.head import MEMORY_TYPES, Array, Head, Scores, load_head
from assessor.local.kinds import is_origin, is_trivia
from assessor.local.lasting import FOREVER, corrected, fitting_types, is_short, types_of_lasting
from assessor.local.questions import is_question
from assessor.local.requests import is_order_of_work, is_request, supposes
from assessor.local.restatement import assessed_text
from assessor.local.sentences import split_sentences
from assessor.local.summary import MAX_LENGTH, summarize
from assessor.local.tagging import find_tags, find_topics
from memory.drafts import Facets
from memory.text.how_to_answer import says_how_to_answer

Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]

# Further sentences are not embedded or scored, to limit the time.
MAX_SENTENCES = 24

# An answer of at most this many words says little without its question.
SHORT_ANSWER = 3

# Importance above this floor counts for every sentence except the best one.
FACT_FLOOR = 0.25
FACT_GAIN = 0.5

# Factors for messages with questions or suppositions only, and with requests only. Otherwise the
# stored question would be the best match when it is asked again.
ASKING_SHARE, REQUEST_SHARE = 0.35, 0.2
COURTESY = 4
"""Words of a greeting or of thanks, beside which a question is still all that is said."""
_ASKS_TO_KEEP = re.compile(
    r"\b(?:remind|remember|forget|note)\b|提醒|记得|记住|别忘|记一下", re.IGNORECASE
)
# A message that only asks to forget something gets 0. With more text, it is assessed as usual.
_ASKS_TO_FORGET = re.compile(
    r"\A\W*+(?:(?:please |can you |could you )?forget (?:that|about|what|everything|my|the)\b"
    r"|(?:请|帮我|请帮我)?(?:忘掉|忘记|删掉|删除))[^,.;:!?，。；：！？]*+\W*+",
    re.IGNORECASE,
)
# A wish about all later answers, not about the next one.
_LASTING = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|(?:keep|your|all) (?:\w+ )?(?:answers"
    r"|replies|responses)|short(?:er)? (?:answers|replies|responses)"
    r"|i (?:prefer|like|love|hate|dislike))\b"
    # Said alone, without "it" or a text that they are about.
    r"|\A(?!.*\b(?:it|this|that)\b).{0,40}\b(?:emojis?|(?:metric|imperial) units)"
    r"(?:,? please)?\W*\Z"
    r"|\b(?:answer|reply|respond|speak|talk)(?: to me)? in (?-i:[A-Z])\w+(?:,? please)?\W*\Z"
    r"|[不别]要?用?表情|用[公英]制|^请?用.{1,3}[文语](?:回答|回复|交流)"
    r"|以后|今后|一直|总是|始终|每次|我更?(?:喜欢|不喜欢|讨厌)",
    re.IGNORECASE,
)
STANDING = 0.7
"""Least importance of such a wish: every answer needs it."""

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
class LocalResult:
    """The built-in assessment of an exchange. `importance` and `confidence` are in [0, 1].

    With facets, the importance follows from them, and the confidence is the probability of P.
    """

    importance: float
    memory_type: str
    summary: str
    tags: list[str]
    topics: list[str]
    confidence: float
    reasoning: str
    facets: Facets | None = None


def assess(
    user_message: str,
    assistant_response: str,
    *,
    embed: Embed,
    earlier: Sequence[str] = (),
    with_facets: bool = False,
    head: Head | None = None,
) -> LocalResult:
    """Assess one exchange. `embed` returns MiniLM vectors, (n, 384) with unit rows, and is called
    once. `earlier` is the conversation before the exchange, both sides, the latest text last.

    Only the user's text is assessed, except for a bare "yes" whose reply restates the fact. `head`
    replaces the committed one in the training.
    """
    head = head or load_head()
    text, confirmed = assessed_text(user_message.strip() or "…", assistant_response)
    sentences = split_sentences(text)[:MAX_SENTENCES]
    texts = [text, *sentences]
    vectors = embed(texts)
    scores = head.scores(texts, vectors)
    types = fitting_types(_type_probabilities(scores), _telling(sentences))
    around = context_features(text, assistant_response, earlier)
    importance = _importance(texts, vectors, scores, types)
    importance = in_context(importance, around, head.context_weights)
    types = types_of_lasting(types) if importance >= FOREVER and is_short(text) else types
    summary = confirmed or _summary(text, sentences, scores, earlier)
    described = _described(text, round(importance, 3), summary, scores, types)
    assessed = _as_standing(described, sentences)
    return _by_facets(assessed, texts, vectors) if with_facets else assessed


def _importance(texts: Sequence[str], vectors: Array, scores: Scores, types: Array) -> float:
    """Return the importance of the message, the first of the texts, by its own words."""
    importance, share = _combined(scores.importance), _share(texts[0], texts[1:])
    told = _telling(texts[1:])
    if share < 1.0 or not told or not is_short(texts[0]):
        return importance * share
    rows = [texts.index(one, 1) for one in told]
    persistence = load_facet_heads().persistence(told, vectors[rows])
    return corrected(importance, MEMORY_TYPES[int(types.argmax())], told, persistence)


def _telling(sentences: Sequence[str]) -> list[str]:
    """Return the sentences that tell something about the user or the world."""
    return [one for one in sentences if not _tells_nothing(one)]


def _described(
    text: str, importance: float, summary: str, scores: Scores, types: Array
) -> LocalResult:
    """Return the result with the type, tags and topics of the text."""
    memory_type = MEMORY_TYPES[int(types.argmax())]
    return LocalResult(
        importance=importance,
        memory_type=memory_type,
        summary=summary,
        tags=find_tags(text, memory_type),
        topics=find_topics(text),
        confidence=round(_confidence(scores, types), 3),
        reasoning=_reasoning(text, memory_type, float(types.max())),
    )


def _summary(text: str, sentences: Sequence[str], scores: Scores, earlier: Sequence[str]) -> str:
    """Return the message's important sentences; a short answer is followed by its question."""
    question = question_before(earlier)
    if question and word_count(text) <= SHORT_ANSWER and not is_question(text):
        return f"{text} ({question})"[:MAX_LENGTH]
    return summarize(sentences, scores.importance[1:])


def _as_standing(assessed: LocalResult, sentences: Sequence[str]) -> LocalResult:
    """Return an important preference, if the message says only how all answers should be."""
    wishes = [one for one in sentences if not _is_courtesy(one)]
    if not wishes or not all(says_how_to_answer(one) and _LASTING.search(one) for one in wishes):
        return assessed
    importance = max(assessed.importance, STANDING)
    return replace(assessed, memory_type="preference", importance=importance)


def _share(text: str, sentences: Sequence[str]) -> float:
    """Return the share of its scores that a message keeps: 1 for a statement, less for questions,
    suppositions and requests, 0 for a request to forget.
    """
    if _ASKS_TO_FORGET.fullmatch(text):
        return 0.0
    if _ASKS_TO_KEEP.search(text):
        return 1.0
    if all(is_request(one) or _is_courtesy(one) for one in sentences):
        return REQUEST_SHARE
    asks = is_order_of_work(text) or all(map(_tells_nothing, sentences))
    return ASKING_SHARE if asks else 1.0


def only_asks(text: str) -> bool:
    """Return whether the message teaches nothing, whoever assesses it: it only greets, supposes,
    asks for work, or puts questions that name nothing of its writer.
    """
    if _ASKS_TO_KEEP.search(text):
        return False
    sentences = split_sentences(text)[:MAX_SENTENCES]
    return is_order_of_work(text) or all(map(_asks_of_the_world, sentences))


def _asks_of_the_world(sentence: str) -> bool:
    asks = is_question(sentence) and not CUES["first_person"].search(sentence)
    return asks or is_request(sentence) or supposes(sentence) or _is_courtesy(sentence)


def _tells_nothing(sentence: str) -> bool:
    asks = is_question(sentence) or is_request(sentence)
    return asks or supposes(sentence) or _is_courtesy(sentence)


def _is_courtesy(sentence: str) -> bool:
    """Return whether the sentence only greets or thanks."""
    kind = CUES["greeting"].search(sentence) or CUES["thanks"].search(sentence)
    said = word_count(sentence) > COURTESY or CUES["first_person"].search(sentence)
    return bool(kind and not said)


def _by_facets(assessed: LocalResult, texts: Sequence[str], vectors: Array) -> LocalResult:
    """Return the assessment by its facets: those of the message or of a sentence, whichever give
    the highest importance.
    """
    found, probabilities = load_facet_heads().facets(texts, vectors)
    best = max(range(len(found)), key=lambda i: found[i].importance)
    facets = _kept(found[best], _share(texts[0], texts[1:]))
    if told := _telling(texts[1:]):
        facets = _with_fitting_persistence(facets, told)
    probability = float(probabilities[best])
    return replace(
        assessed,
        importance=facets.importance,
        confidence=round(probability, 3),
        reasoning=f"{assessed.reasoning}; P {facets.P:g} ({probability:.0%} sure)",
        facets=facets,
    )


def _with_fitting_persistence(facets: Facets, told: Sequence[str]) -> Facets:
    """Return the facets with the P of statements about the user's origin or about strangers."""
    if all(map(is_trivia, told)):
        return facets.model_copy(update={"P": min(facets.P, STEPS[1])})
    if all(map(is_origin, told)):
        return facets.model_copy(update={"P": STEPS[-1]})
    return facets


def _kept(facets: Facets, share: float) -> Facets:
    """Return the facets of a message that keeps this share of its scores. A question is everyday
    life, whatever it is about.
    """
    if share == 1.0:
        return facets
    return Facets(
        P=min(facets.P, STEPS[0]) if share else 0.0,
        I=round(facets.I * share, DIGITS),
        J=round(facets.J * share, DIGITS),
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
