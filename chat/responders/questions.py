"""Recognises questions, in English and Chinese also without a question mark."""

import re

# "What I like is tea" and "when I was ten" are not questions.
_VERB = (
    r"(?:'s|'re|\u2019s| (?:is|are|am|was|were|do|does|did|have|has|had|can|could|should|would"
    r"|will|shall))\b"
)
# Bounded: otherwise an opening could be searched again from every position of a long text.
_OPENING = (
    r"\W{0,10}(?:(?:and|so|ok|okay|hey|hi|btw|by the way|again|remind me|oh|well)\b[, ]{0,4}){0,6}"
)
_ENGLISH = re.compile(
    rf"\A{_OPENING}(?:"
    rf"(?:what|who|whom|where|when|why|how){_VERB}(?! (?:nice|great|funny|sad|lovely)\b)"
    r"|(?:what|which|whose|how) (?:[\w'\u2019-]{1,40} ){1,3}?"
    r"(?:is|are|am|was|were|do|does|did|have|has|can|should|will)"
    r" (?:i|we|you|he|she|they|it|my|our|the)\b"
    r"|(?:please )?tell me (?:again )?(?:my|our|the|what|who|where|when|which|how)\b"
    r"|(?:do|does|did|am|are|is|was|were|have|has|can|could|should|would|will)"
    r" (?:i|we|you|he|she|they|it|my|our|there)\b)",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:什么[^，。,.]{0,4}|哪里|哪儿|哪[个天年家位些][^，。,.]{0,8}|谁|多少[^，。,.]{0,3}"
    r"|几[点岁号个月][^，。,.]{0,4}|吗|来着)[。.~～\s]*$"
    r"|^[^，。,.]{0,8}(?:哪里|哪儿|哪[个家年天])[^，。,.]{1,6}$"
)
# 没什么, 什么都, 不知道谁
_TELLS = re.compile(
    r"没有?什么|(?:什么|谁|哪里|哪儿|几[点个])[都也]|不知道|无论|不管|随便|忘了|想知道"
)


def is_question(sentence: str) -> bool:
    """Return whether the sentence ends with a question mark, or has the form of a question, as in
    "what's my dog's name" and 我的狗叫什么名字."""
    if sentence.rstrip("\"')] ").endswith(("?", "\uff1f")):
        return True
    if _ENGLISH.match(sentence):
        return True
    return _CHINESE.search(sentence) is not None and _TELLS.search(sentence) is None
