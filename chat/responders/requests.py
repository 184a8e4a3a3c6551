"""Recognises sentences that contain nothing to save: orders ("Recommend me a film"), requests to be
told something ("Tell me about my sister"), and suppositions ("If I lived in Paris, …").

The built-in responder and the built-in assessor share these rules for English and Chinese.
"""

import re
from collections.abc import Callable

from reader.sentences import split_sentences

# Words of an order about the user's own things; a longer order tells facts too.
LONGEST_OWN = 8

_OPENING = (
    r"\A\W{0,9}(?:(?:please|pls|kindly|ok|okay|so|and|now|hey|hi|ebb|just|then|maybe|also"
    r"|(?:can|could|would|will) you|(?:is there )?any chance (?:that )?you (?:could|can)"
    r"|i (?:need|want) you to|i(?:['’]d| would) like you to)\b[, ]{0,3}){0,6}"
)
# "Fix the sink" is a note, "fix this" an order.
_WORK = (
    r"(?:write(?! (?:this |that |it )?down)|rewrite|draft|compose|translate|explain|summari[sz]e"
    r"|rephrase|reword|paraphrase|shorten|proofread|simplify|draw|sketch|generate"
    r"|create an?|calculate|compute|solve|brainstorm|recommend|suggest|list|imagine|code"
    r"|(?:fix|correct|improve|check|edit|polish|make|turn|change|expand|continue|read|format"
    r"|convert|put|finish|describe|compare|analy[sz]e) (?:this|that|it|these|the following)"
    r"|(?:find|get|teach|sing|read|choose|pick) (?:me|us)"
    r"|(?:give|show) (?:me|us) (?:an?|the|some|more|another|one|two|three|five|ten|\d{1,3}|ideas)"
    r"|help (?:me|us)(?! (?:to )?(?:remember|remind))|tell (?:me|us) (?:an?|some|something)"
    r"|say something)\b"
)
_TELL = (
    r"(?:(?:tell|remind) (?:me|us) (?:again )?(?:about|again|my|our|the|what|when|where|who|which"
    r"|how|if)"
    r"|(?:tell|remind|show|give) (?:me|us)"
    r" (?:something|anything|more|all|everything|an? (?:bit|little))(?: more)? (?:about|on|of)"
    r"|share (?:what|everything|all) you know|i(?:'d| would) like to (?:know|hear)"
    r"|(?:talk|say (?:something|anything|more)) about"
    r"|(?:give|show|find) (?:me|us) (?:my|our))\b"
)
_WHEN_ZH = (
    r"(?:[今明后][天晚早]|早上|中午|晚上|[早午晚]饭|(?:这|下)?周[一二三四五六日末]|那么?|好的?)?"
    r"的?[，,]?"
)
_WORK_ZH = (
    r"(?:写|翻译|解释|总结|概括|计算|算|画|生成|列|讲|推荐|建议|改|润色|缩短|修改|想|找|查|选|挑|起"
    r"|规划|制定|设计|编|做)(?![了过的到])"
)
_PLEASE_ZH = r"(?:请|麻烦|拜托|你|再|来|先|帮忙|[帮给替]我|[帮给替]我们|能不能|可不可以|可以|能)"
_ENGLISH_WORK = re.compile(rf"{_OPENING}{_WORK}", re.IGNORECASE)
_ENGLISH_TELL = re.compile(rf"{_OPENING}{_TELL}", re.IGNORECASE)
_CHINESE_WORK = re.compile(
    rf"\A\W*+{_WHEN_ZH}{_PLEASE_ZH}{{1,4}}{_WORK_ZH}"
    r"|\A\W*+(?:写|翻译|解释|总结|推荐|讲|列出?|画|生成)(?:[一几两三个些首封篇段下这]|一下)"
)
_CHINESE_TELL = re.compile(
    rf"\A\W*+{_PLEASE_ZH}{{0,3}}(?:[跟和]我)?"
    r"(?:告诉我|(?:说说|讲讲|聊聊|谈谈|说一下|讲一下|介绍一下|介绍下)(?!了))"
)

_SPEAKER = re.compile(r"\b(?:i|my|our)\b|我", re.IGNORECASE)
_OWN = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
# The user also states a fact: "I …", not "where I live", or "…, my budget is 80 euros".
_TELLS = re.compile(
    r"(?<!what )(?<!where )(?<!when )(?<!who )(?<!how )\b(?:i|we)\b"
    r"|[,;:–—][^,;:–—]{0,200}\b(?:i|we|my|our)\b|[，；：][^，；：]{0,200}我",
    re.IGNORECASE,
)

# A supposition: a past form after "if", beside "would".
_UNREAL = (
    r"(?:if|suppose|imagine) (?:i|we)(?:['’]d)?(?: (?!am\b|have\b|need\b)[a-z]{1,12}){0,2}?"
    r" (?:were|was|had|could|lived|won|owned|knew|got|went|became|spoke|[a-z]{2,12}ed)\b"
)
_WOULD = r"(?:\b(?:would|wouldn['’]t|could|might)\b|['’]d\b)"
_SUPPOSES = re.compile(
    rf"\A\W{{0,9}}(?:(?:and|but|so|well|even)\b[, ]{{0,3}}){{0,3}}"
    rf"(?:{_UNREAL}.{{0,200}}?{_WOULD}|(?:i|we) ?{_WOULD}.{{0,200}}?\b{_UNREAL})",
    re.IGNORECASE | re.DOTALL,
)
_SUPPOSES_ZH = re.compile(
    r"\A\W*+(?:如果|要是|假如|假设|假使|倘若)我(?:能|可以|是|住|当|变成|赢|中奖|有(?![空时事]))"
    r"|\A\W*+(?:如果|要是|假如).*就好了\W*\Z"
)


def asks_for_work(text: str) -> bool:
    """Return whether the text begins with an order that needs a language model, as in "Could you
    shorten this"."""
    if asks_to_tell(text):
        return False
    return bool(_ENGLISH_WORK.match(text) or _CHINESE_WORK.match(text))


def asks_to_tell(text: str) -> bool:
    """Return whether the text begins with a request to be told something: "Tell me about …"."""
    return bool(_ENGLISH_TELL.match(text) or _CHINESE_TELL.match(text))


def is_order_of_work(text: str) -> bool:
    """Return whether the text begins with an order, and says nothing about the user."""
    found = _ENGLISH_WORK.match(text) or _CHINESE_WORK.match(text)
    return bool(found and not _SPEAKER.search(text, found.end()))


def is_request(sentence: str) -> bool:
    """Return whether the sentence only asks for work or to be told something, and tells nothing
    about the user."""
    for rule in (_ENGLISH_TELL, _CHINESE_TELL, _ENGLISH_WORK, _CHINESE_WORK):
        if found := rule.match(sentence):
            rest = sentence[found.end() :]
            told = _TELLS.search(rest) or (
                rule is _ENGLISH_WORK and _OWN.search(rest) and len(sentence.split()) > LONGEST_OWN
            )
            return not told
    return False


def supposes(sentence: str) -> bool:
    """Return whether the sentence is hypothetical, as in "If I lived in Paris, I would …"."""
    return bool(_SUPPOSES.match(sentence) or _SUPPOSES_ZH.match(sentence))


def is_only(rule: Callable[[str], bool], text: str) -> bool:
    """Return whether the rule is true for each sentence of the text."""
    sentences = split_sentences(text)
    return bool(sentences) and all(map(rule, sentences))
