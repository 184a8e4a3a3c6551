"""Classifies messages to the built-in responder by rules for English and Chinese, without a model.

A wrong rule costs a helpful sentence, never a wrong fact: the answer quotes memories.
"""

import re
from collections.abc import Sequence
from typing import Literal

from chat.responders.courtesies import courtesy_of
from chat.responders.kinds import Kind
from chat.responders.questions import is_question
from chat.responders.requests import asks_for_work, asks_to_tell
from reader.sentences import split_sentences

Language = Literal["en", "zh-hans"]


# The first match decides.
_PATTERNS = {
    Kind.TODAY: r"^what (have|did) i (told|tell|said|say)( to)?( you)? today\s*\??$"
    r"|^我今天(都)?(跟|对|和)?(告诉|你说|你讲|说)(了|过)?(你)?(些)?(什么|哪些事)[？?]*$",
    Kind.EVERYTHING: r"^what (do|can) you (know|remember|recall)( about me)?\s*\??$"
    r"|^what have i told you\s*\??$|^(tell|show) me (everything|what) you (know|remember)"
    r"( about me)?[.?]?$|^你(都)?(知道|记得)(关于)?(我的?|我都?)?(什么|哪些|些什么)"
    r"(事|事情)?[吗？?]*$"
    r"|^你对我(都)?(了解|知道)(多少|什么|些什么)[？?]*$|^你(都)?(了解|知道|记得)我(多少|些什么)[？?]*$",
    Kind.WHO_ARE_YOU: r"\b(who|what) are you\b|\bwhat(.s| is) your name\b|\bwhat can you do\b"
    r"|\bare you (a|an|chat|gpt|claude|real|human)|\b(chatgpt|llm|language model)\b"
    r"|\bcan you help( me)?\s*\?*$|^help\W*$|\bhow do you work\b"
    r"|你是(谁|什么|不是|人|机器|一个|.{0,6}(GPT|AI|模型))"
    r"|你叫什么|你(是)?怎么(工作|运作)|你会(什么|做什么)|你能(做什么|干什么|帮我吗)",
    Kind.FORGET: r"^(please |can you |could you )*forget\b"
    r"|^(请|你|帮我|把)*(忘掉|忘了|忘记|删掉|删除)",
}
_KINDS = {kind: re.compile(rule, re.IGNORECASE) for kind, rule in _PATTERNS.items()}
# Orders that need more than words, which are to-dos among the user's notes, and all other orders
# except those to tell or to save something.
_ORDER = re.compile(
    r"^(?:please |pls )?(?:can|could|would|will) you (?:please )?(?!(?:tell|say|remind"
    r"|remember|recall|forget|keep|save|note|know|guess|list|look up|find out)\b)[a-z]"
    r"|^(?:please |can you |could you )*(?:book|send|call(?! me\b)|order|set (?:a|an|the))\b"
    r"|^(?:请|帮我|给我|你能|能不能|可以)*(?:订|发送)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]\s*$"
    r"|^(who|whom|whose|what|when|where|why|which|how|do|does|did|is|are|am|was|were|have|has"
    r"|can|could|should|will|would)\b|[吗呢]\s*$|什么|哪里|哪儿|哪个|谁|怎么|多少|几点|多大",
    re.IGNORECASE,
)

_ENDS = " \t\n.!?。！？"
# The thing to forget, after the words that ask to forget it. `_ENDS` are already removed.
_FORGOTTEN = re.compile(
    r"^(?:please |can you |could you )*forget\b(?: about\b)?"
    r"(?: (?:the fact that|that|what i (?:said|told you) about|everything about|all about)\b)?"
    r"(?P<en>.*)$"
    r"|^(?:请|你|帮我|把)*(?:忘掉|忘了|忘记|删掉|删除)掉?(?:关于)?(?P<zh>.*?)(?:的?这?件?事情?)?吧?$",
    re.IGNORECASE | re.DOTALL,
)
# Words that do not name anything to forget.
_NOTHING = re.compile(
    r"^(?:it|this|that|these|them|me|everything|all|all of it|all of this|what i said"
    r"|全部|所有|一切|这个|那个|它|我|我说的|这|那)?$",
    re.IGNORECASE,
)

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_COMMON_CHARACTERS = set(
    "我你您他她它的了是在有不没和跟与也都就很这那个些一会要想对到把给从说过来去上下"
)
_KANA = re.compile(r"[\u3040-\u30ff]")
_LETTER = re.compile(r"[^\W\d_]")

_NUMBER = (
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty)\b|[一二三四五六七八九十两]"
)
# Questions about a place, a time or a number, and the patterns of their answers.
_ASKED = (
    (r"^where\b|哪里|哪儿|什么地方", r"\b(in|to|at|from|near|on)\b|[在到去住来]"),
    (
        r"^(when|what (time|day|date))\b|什么时候|几点|哪天",
        _NUMBER + r"|day\b|(spring|summer|autumn|winter|morning|evening|night|week|month|year)\b"
        r"|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|[年月周日号点天]",
    ),
    (r"^how (old|many|much|tall|long|far)\b|\bnumber\b|多少|多大|几[个岁只次]|号码", _NUMBER),
)
_ASKED_RULES = [(re.compile(q, re.I), re.compile(a, re.I)) for q, a in _ASKED]

_WHAT_IF = re.compile(r"\b(?:if|would|wish)\b|如果|要是|假如", re.IGNORECASE)

# The border between two questions.
_BETWEEN = re.compile(
    r"\?\s++(?:and\s++)?(?=\w)"
    r"|(?:,|(?<![,\s]))\s++and\s++(?=(?:who|whose|what|when|where|why|which|how|do|does|did|is|are|am|was|were)\b)",
    re.IGNORECASE,
)
# A word that carries the question's topic, unlike common question words.
_TELLING = re.compile(
    r"\b(?!(?:and|are|can|did|does|for|had|has|have|her|his|how|its|our|that|the|their|there|was"
    r"|were|what|when|where|which|who|whose|why|will|with|you|your)\b)[^\W\d_]{3,}",
    re.IGNORECASE,
)

_MOST_QUESTIONS = 4
_LONGEST_ECHO = 120
_FIRST_PERSON = re.compile(r"\b(i|me|my|mine|myself)\b", re.IGNORECASE)
_SECOND_PERSON = re.compile(r"\b(you|your|yours|yourself)\b|[你您]", re.IGNORECASE)
_TURNED = {
    "am i": "are you",
    "i am": "you are",
    "was i": "were you",
    "i was": "you were",
    "i'm": "you're",
    "i’m": "you’re",
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
}
_TURNED_RULE = re.compile(
    r"\b(" + "|".join(sorted(_TURNED, key=len, reverse=True)) + r")\b", re.IGNORECASE
)


def kind_of(text: str) -> Kind:
    """Return the message's kind; a message that no rule matches is a statement, unless it ends with
    a question or a request."""
    said = text.strip()
    if courtesy := courtesy_of(said):
        return courtesy
    for kind, rule in _KINDS.items():
        if rule.search(said):
            return kind
    last = split_sentences(said)[-1:]
    if any(map(asks_to_tell, [said, *last])):
        return Kind.QUESTION
    if any(map(asks_for_work, [said, *last])) or _ORDER.search(said):
        return Kind.TASK
    asks = _QUESTION.search(said) or any(map(is_question, last))
    return Kind.QUESTION if asks else Kind.STATEMENT


def forget_what(text: str) -> str:
    """Return what the user wants forgotten: "forget that I moved" gives "I moved"; "" if the text
    names nothing."""
    found = _FORGOTTEN.match(text.strip().rstrip(_ENDS))
    named = (found["en"] or found["zh"] or "").strip() if found else ""
    return "" if _NOTHING.match(named) else named


def questions_in(text: str) -> list[str]:
    """Split "where do I live, and when does school start?" into both; else return the text
    unchanged.
    """
    parts = _BETWEEN.split(text.strip())
    if not 1 < len(parts) <= _MOST_QUESTIONS:
        return [text]
    several = all(kind_of(part) is Kind.QUESTION and _telling_words(part) for part in parts)
    return parts if several else [text]


def share_a_word(question: str, text: str) -> bool:
    """Return whether question and text share a topic word, compared by its beginning:
    live, lives.
    """
    return bool(_telling_words(question) & _telling_words(text))


def share_a_character(question: str, text: str) -> bool:
    """Return whether two Chinese texts share a character that carries their topic."""
    return bool(set(_HAN.findall(question)) & set(_HAN.findall(text)) - _COMMON_CHARACTERS)


def _telling_words(text: str) -> set[str]:
    return {word.lower()[:4] for word in _TELLING.findall(text)}


def language_of(texts: Sequence[str], default: Language) -> Language:
    """Return the language of the latest text with letters, or the default."""
    for text in reversed(texts):
        if _HAN.search(text) and not _KANA.search(text):
            return "zh-hans"
        if _LETTER.search(text):
            return "en"
    return default


def is_chinese(text: str) -> bool:
    """Return whether the text contains Chinese characters."""
    return bool(_HAN.search(text))


def asks_what_if(question: str) -> bool:
    """Return whether the question is hypothetical: "Where would I live?"."""
    return bool(_WHAT_IF.search(question))


def holds_what_is_asked(question: str, text: str) -> bool | None:
    """Return whether the text contains the place, time or number asked for; None if the question
    asks for none.
    """
    for asks, answers in _ASKED_RULES:
        if asks.search(question.strip()):
            return bool(answers.search(text))
    return None


def asked_back(question: str) -> str:
    """Return the question turned to the user, or "" if it is not simply about them.

    "where do I live?" → "where do you live?", 我住在哪里？ → 你住在哪里？
    """
    one = " ".join(question.split())
    if len(one) > _LONGEST_ECHO or _SECOND_PERSON.search(one) or re.search(r"[.!。！;；]", one):
        return ""
    if is_chinese(one):
        return one.rstrip("?？ ").replace("我", "你") + "？" if "我" in one else ""
    if not _FIRST_PERSON.search(one):
        return ""
    turned = _TURNED_RULE.sub(lambda found: _TURNED[found.group().lower()], one.rstrip("? "))
    return turned[0].lower() + turned[1:] + "?"
