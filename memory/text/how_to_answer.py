"""Recognises wishes about answers: language, length, tone, format, form of address.

Examines each clause of a short statement. A wish is an order ("Keep …") or a preference of the user
("User prefers …") that mentions a property of answers. Gaps in the patterns are bounded, so that a
long text takes linear time.
"""

import re
from functools import lru_cache

LONGEST = 200
"""Characters. A longer statement is not a short wish."""


def _any(words: str) -> str:
    return "(?:" + "|".join(words.split(", ")) + ")"


_POLITE = _any(
    "but, and, so, please, kindly, always, never, only, just, from now on, in future, do not, "
    "don't, stop, avoid, (?:could|can|would) (?:you|u), you (?:should|must), (?:u|you) can"
)
_ORDERS = _any(
    "answer, answers, reply, replies, respond, explain, speak, talk, write, chat, use, using, "
    "keep, be, being, give, giving, show, include, add, mention, cite, format, provide, list, "
    r"start, end, ask, asking, skip, drop, no, without, make, get, put, highlight, saying, "
    r"apologi[sz]\w{1,3}, lectur\w{1,3}, flatter\w{0,3}"
)
_WANTS = _any(
    "like, want, prefer, ask, expect, need, insist, hate, dislike, request, love, appreciate, "
    "find, tell, told, would rather"
)
_ANSWERS = (
    r"(?:long |short )?(?:answers|replies|responses?|explanations?)\b(?! (?:from|about|to)\b)"
)
_FORM = _any(
    r"emojis?, bullet (?:points?|lists?), (?:metric|imperial) (?:units|system), small talk, "
    r"markdown, headings?, follow-up questions?, exclamation marks?, disclaimers?, snippets, "
    r"code examples?, step[- ]by[- ]step, (?:american|british) spelling, "
    r"plain (?:language|english), simple (?:words|english), "
    r"(?:formal|informal) (?:tone|address|language|style), "
    r"24-hour time, the answer first, technical terms explained, normal paragraphs"
)
# Too common in other wishes, but clear in an order.
_MANNER = _any(
    r"answers?, reply, replies, respond, explain, brief, concise, short, shorter, shortly, formal, "
    r"informal, polite, blunt, direct, casual, friendly, honest, precise, patient, humou?r, tone, "
    r"simply, slowly, jargon, slang, sources?, references, examples?, steps?, details?, sorry, "
    r"introduction, the point, sentences?, paragraphs?, dates?, numbers, units, celsius, "
    r"fahrenheit, kilomet\w{2,3}, tables?, spelling, apologi\w{2,5}, lectur\w{1,3}, "
    r"flatter\w{0,3}, to me, with me"
)
_LANGUAGE = r"in (?:\w{1,12} )?(?-i:[A-Z])\w{1,9}(?:ese|ish|ian|man|ch|ic|an|ek)\b"
# Excludes "Call me tomorrow", which is about a phone call.
_NO_NAME = _any(
    "when, if, back, at, on, in, to, for, about, later, after, before, once, today, tonight, "
    "tomorrow, first, every, next, and, or, by, during"
)
_USER = r"^(?:the user|user|i)?\b"
_POLITELY = rf"^(?:{_POLITE}[, ]{{1,2}}){{0,4}}"

_CLAUSE = re.compile(r"[.;:!?。；！？]|, (?=(?:so|but|and)\b|please\b)|，")
_ORDER = re.compile(rf"{_POLITELY}{_ORDERS}\b", re.I)
_IN_AN_ORDER = re.compile(rf"\b(?:{_MANNER}|{_FORM}|{_ANSWERS}|{_LANGUAGE})\b", re.I)
_WISH = re.compile(
    rf"{_USER}(?:'d| would)? ?(?:do(?:es)? not |do(?:es)?n't )?{_WANTS}(?:s|d|ed)?\b", re.I
)
_IN_A_WISH = re.compile(
    rf"\b(?:{_ANSWERS}|{_FORM}|the assistant|assistants|ebb|the (?:ai|bot|model)|you to"
    r"|everything explained)\b",
    re.I,
)
_CALLED = re.compile(
    rf"{_POLITELY}(?:call|address) (?:me|the user|user)\b (?!{_NO_NAME}\b)"
    rf"|{_USER}.{{0,30}}\b(?:be|being) (?:called|addressed|referred to)\b"
    rf"(?! (?!as\b|by first\b){_NO_NAME}\b)"
    r"|^(?:the )?user goes by (?-i:[A-Z])|\bpronouns (?:are\b|:)|\bpreferred (?:name|pronouns)\b"
    r"|\bwhen talking to the user\b|\bso should the assistant\b",
    re.I,
)
_WHEN_ASKED = re.compile(r"^(?:please )?(?:always|never)\b.{0,120}\bwhen(?:ever)? i ask\b", re.I)

_CHINESE = re.compile(
    # 用英文回答, 用日语交流, 跟我说粤语
    r"(?:用|说|讲).{0,6}(?:[文语话]|的词).{0,3}(?:回答|回复|交流|聊天|跟我|和我)"
    r"|(?:跟我|和我|对我)(?:说|讲|用).{0,6}[文语话]|^请用.{0,6}(?:[文语话]|的词)$"
    # 回答请先给结论, 希望回答简短
    r"|^(?:请|以后|都|在|你|您|对我){0,3}(?:回答|回复|答复|解释|说明)(?!了|过|邮件|短信|消息|客户|老师)"
    r"|^(?:用户|我).{0,3}(?:希望|要求|喜欢|想要|偏好|讨厌|不喜欢|不想|不要|更喜欢|让).{0,14}"
    r"(?:回答|回复|答复|作答|解释|助手|AI|语气|Ebb|感叹号)"
    # 请用公制, 不要用表情, 别道歉, 说话直接一点
    r"|^(?:请|以后|总是|一直|始终|不要|不用|别|少|多|尽量|老是|再|都|你|给我|跟我){1,4}.{0,8}"
    r"(?:表情|公制|英制|摄氏|华氏|要点|列表|表格|例子|举例|来源|出处|步骤|术语|套话|废话|客套|道歉"
    r"|长篇大论|简短|简洁|口语|正式|敬语|结论|寒暄|提问|追问|直接一点|Markdown)|^先说结论"
    # 叫我老王, 希望被叫作小艾
    r"|^(?:请|以后|就|你|可以|都){0,3}(?:叫我|喊我)(?!去|来|回|起|吃|做|们|一声|的|别|不)"
    r"|请称呼(?:用户|我|[他她]).{0,2}[为作]?|称呼我[为作]"
    r"|^(?:用户|我)?.{0,3}(?:希望|要求|喜欢|想要|想|不喜欢).{0,6}"
    r"(?:叫作|叫做|称为|称呼|被叫|叫[他她它我])",
    re.I,
)


@lru_cache(maxsize=4096)  # cached, because the same memories are read for each message
def says_how_to_answer(text: str) -> bool:
    """Return true for a short statement that says how to answer: "Keep answers short",
    "User wants to be called Al", "请用中文回答"."""
    if len(text) > LONGEST:
        return False
    clauses = (clause.strip() for clause in _CLAUSE.split(text))
    return any(_is_wish(clause) for clause in clauses if clause)


def _is_wish(clause: str) -> bool:
    for form in (_CALLED, _WHEN_ASKED, _CHINESE):
        if form.search(clause):
            return True
    is_order = _ORDER.search(clause) and _IN_AN_ORDER.search(clause)
    return bool(is_order or (_WISH.search(clause) and _IN_A_WISH.search(clause)))
