"""Rewrites text in the user's own words: the fact that a bare "yes" confirms, and third-person
facts.

The head was trained on what people say about themselves.
"""

import re

from assessor.local.questions import is_question
from assessor.local.sentences import split_sentences

_CONFIRMATION = re.compile(
    r"\A\W*+(?:(?:yes|yep|yeah|yup|right|correct|exactly|true|indeed|that's right|that is right"
    r"|that's correct)\W*+){1,3}"
    r"|\A\W*+(?:(?:\u5bf9|\u662f\u7684?|\u6ca1\u9519|\u6b63\u662f|\u5bf9\u7684|\u662f\u554a)\W*+){1,3}",
    re.IGNORECASE,
)
_RESTATEMENT = re.compile(
    r"\b(?:noted|got it|remember|so|good to know)\b.{0,200}?\byou\b"
    r"|^you (?:have|are|live|work|like|moved)\b"
    r"|(?:\u8bb0\u4f4f|\u8bb0\u4e0b|\u6240\u4ee5).{0,200}?\u4f60",
    re.IGNORECASE | re.DOTALL,
)
# Turns "you" into "I", so that the head reads the user's own statement.
_TURNED = (
    (re.compile(r"\byou(?: a|')re\b", re.I), "I'm"),
    (re.compile(r"\byour\b", re.I), "my"),
    (re.compile(r"\byou\b", re.I), "I"),
    (re.compile("\u4f60"), "\u6211"),
)
# Third-person statements about the user: "The user's dog is called Rex".
_USER = r"(?:\bthe user|(?:^|(?<=[.!?;,] ))user)"
_SPOKEN_OF = (
    (re.compile(rf"{_USER}['\u2019]s\b", re.I), "my"),
    (re.compile(rf"{_USER} is\b", re.I), "I am"),
    (re.compile(rf"{_USER} has\b", re.I), "I have"),
    (re.compile(rf"{_USER}\b", re.I), "I"),
    (re.compile("\u7528\u6237"), "\u6211"),
)
# The assistant's words before the fact itself.
_PREAMBLE = re.compile(
    r"^.*?(?:\b(?:noted|got it)\b\W*(?:that\b)?|\b(?:remember|noted) that\b"
    r"|\u8bb0[\u4f4f\u4e0b]\u4e86?)\W*",
    re.I,
)


def assessed_text(user_message: str, assistant_response: str) -> tuple[str, str | None]:
    """Return the text to assess and, if it is not the user's own, its summary."""
    if not _CONFIRMATION.fullmatch(user_message):
        return user_message, None
    for sentence in _joined_restatement(split_sentences(assistant_response)):
        fact = _PREAMBLE.sub("", sentence) or sentence
        for pattern, replacement in _TURNED:
            fact = pattern.sub(replacement, fact)
        return fact, f"{user_message} ({sentence})"[:300]
    return user_message, None


def in_own_words(statement: str) -> str:
    """Return a statement about the user in the first person."""
    for pattern, replacement in _SPOKEN_OF:
        statement = pattern.sub(replacement, statement)
    return statement


def _joined_restatement(sentences: list[str]) -> list[str]:
    """Return the first restatement (“Noted. You have asthma.”), also across two sentences."""
    candidates = [*sentences, *map(" ".join, zip(sentences, sentences[1:], strict=False))]
    return [text for text in candidates if _RESTATEMENT.search(text) and not is_question(text)][:1]
