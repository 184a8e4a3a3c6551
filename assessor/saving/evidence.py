"""Finds what the user said of a fact, by the words that they share."""

from assessor.assessing import Exchange
from memory.text.text_similarity import meaning
from reader.sentences import split_sentences


def stated_by_user(content: str, exchange: Exchange) -> bool:
    """Return whether the content shares words with the user's statements; questions do not
    count."""
    sentences = split_sentences(exchange.user_message)
    stated = " ".join(one for one in sentences if not one.endswith(("?", "？")))
    return bool(meaning(content) & meaning(stated))


def evidence(summary: str, exchange: Exchange) -> str:
    """Return the user's sentence that shares the most words with the summary; "" if none shares
    any."""
    words = meaning(summary)
    sentences = split_sentences(exchange.user_message)
    best = max(sentences, key=lambda sentence: len(meaning(sentence) & words), default="")
    return best if meaning(best) & words else ""
