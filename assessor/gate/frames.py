"""Recognises a program's template by its labels, or by its task at the end, whatever text it holds.

A first-person text inside a template reads like a person's message. The template around it does
not.
"""

import re

from assessor.gate.signals import END_LABEL, TASK_SIGNALS, self_share

_FLAGS = re.IGNORECASE | re.MULTILINE
# "[The Start of Reference]", and words that introduce another program's output.
_MARK = re.compile(r"^[ \t]*\[(?:the )?(?:start|beginning|end) of [^\]\n]{1,60}\]", _FLAGS)
_HANDED = re.compile(
    r"\bhere (?:is|are) (?:the|some) (?:original |existing )?(?:query|question|response|feedback)\b"
    r"[^\n:]{0,60}:|\bthe original (?:question|query) is as follows:"
    r"|\bwe have provided an existing (?:answer|summary)\b|\bcritique the following response\b"
    r"|\bwe have the opportunity to refine\b"
    r"|我们已经?提供了?一个|根据你之前推理"
    r"|^(?:previous|past|completed) steps:|^current (?:objective|step|task):",
    _FLAGS,
)
_FIRST_LABEL = re.compile(r"\A(?!my\b|our\b)[A-Za-z][\w -]{2,30}:", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_LONGEST = 400
_GIVE = re.compile(r"\bgive (?:an?|the) \w+|\bdouble-?check\b", re.IGNORECASE)
_ON_A_TEXT = {"third person", "conversation", "given text"}


def has_frame(text: str) -> bool:
    """Return whether a text stands between the labels of a template, or before its task."""
    is_marked = len(_MARK.findall(text)) >= 2 or len(_HANDED.findall(text)) >= 2
    return is_marked or _ends_as_task(text.strip())


def _ends_as_task(text: str) -> bool:
    """Return whether a labelled text ends with a task that contains no first person.

    "Context: … Give a title that summarises the context. Title:"
    """
    label = END_LABEL.search(text)
    if label is None and not _FIRST_LABEL.match(text):
        return False
    body = text[: label.start() + 1] if label else text
    last = body.rstrip().rpartition("\n\n")[2][-_LONGEST:]
    sentences = _SENTENCE.split(last.strip())
    return any(_is_task(" ".join(sentences[-count:])) for count in (1, 2, 3))


def _is_task(text: str) -> bool:
    found = {name for name, (_, signal) in TASK_SIGNALS.items() if signal.search(text)}
    has_duty = "duty" in found or _GIVE.search(text) is not None
    return has_duty and bool(found & _ON_A_TEXT) and not self_share(text)
