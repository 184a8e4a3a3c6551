"""Finds text that tries to steer the judge, or to plant instructions for later.

Rules over wordings in English and Chinese, each for the origins where it is no honest wish: "from
now on always …" is the user's right and nobody else's. No model is asked, so none can be talked
out of it. What is found is held for a person, never thrown away; so a rule may err now and then on
the side of holding.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assessor.judging import Exchange
from assessor.screening.provenance import Origin, Part, own_words, parts_of
from memory.lexemes import prepare

ANYONE = frozenset(Origin)
OTHERS = ANYONE - {Origin.USER}
# A model's summary speaks of "the user" by right.
SAID_BY_OTHERS = OTHERS - {Origin.SUMMARY}
# The assistant, and a summary, may take up what the user wished.
MAY_ECHO = frozenset({Origin.ASSISTANT, Origin.SUMMARY})
ECHOED = 0.5
QUOTED_LENGTH = 160


@dataclass(frozen=True)
class Finding:
    """Why an exchange is held: what the words do, whose they are, and the words."""

    does: str
    origin: Origin
    quote: str

    @property
    def reason(self) -> str:
        """One line for people."""
        return f"In {self.origin.value}: {self.does}: “{self.quote}”"


@dataclass(frozen=True)
class _Rule:
    does: str
    origins: frozenset[Origin]
    pattern: re.Pattern[str]
    # Not an attack where the user asked for the same.
    unless_wished: bool = False


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.MULTILINE)


# Within one sentence; a dot inside a number or an address ends none.
_REST = r"(?:[^.!?。！？\n]|\.(?=\S)){0,%d}?"
_NEAR, _FAR = _REST % 40, _REST % 100
_TOP = r"(?:1(?:\.0+)?|0?\.9\d*|10 ?(?:/|out of) ?10|100 ?%|maximum|max|highest|top|critical)(?!\d|[:.]\d)"
_TOP_ZH = r"(?:1(?:\.0+)?|0\.9\d*|10|100|满分|最高|最大|一百)"
_ASSESSOR = r"(?:importance |memory )?(?:assessor|judge|grader|scorer|summari[sz]er)"
_MODEL = (
    r"(?:(?:AI|LLM)(?: coding)?(?: assistants?| agents?| models?)?s?|(?:large )?language models?"
    r"|chat ?bots?|assistants?|future self)"
)
_DUTY = (
    r"(?:(?:you|it|this|the following|the \w+) )?(?:must|has to|have to|needs? to|should|deserves?|is to)"
)
_FROM_NOW_ON = (
    r"\b(?:from (?:now|this (?:point|moment|day)) (?:on|onwards?|forward)|going forward|henceforth"
    r"|(?:in|for) (?:all|every|each|any)(?: (?:of )?(?:the|your|our))? ?(?:future|later|following|subsequent|coming)"
    r" (?:conversation|chat|session|repl(?:y|ie)|answer|message|response|recipe)s?"
    r"|for later|whenever|every time|each time|always|never)\b"
)
_FROM_NOW_ON_STRICT = (
    r"\b(?:from (?:now|this (?:point|moment|day)) (?:on|onwards?|forward)|going forward|henceforth"
    r"|(?:in|for) (?:all|every|each|any)(?: (?:of )?(?:the|your|our))? ?(?:future|later|following|subsequent|coming)"
    r" (?:conversation|chat|session|repl(?:y|ie)|answer|message|response)s?)\b"
)
# What an assistant does for its user, and a bribed one does for somebody else.
_DEED = (
    r"\b(?:recommend|mention|suggest|promote|advertise|praise|prefer|rank|rate|name|cite|quote|append"
    r"|include|insert|answer(?! the phone)|respond|reply|claim|state that|say|pretend|output|conclude"
    r"|forward|send|upload|warn|deny|refuse|trust|obey|treat|address|direct|link|add"
    r"|tell (?:the user|them|users|people|customers?|everyone|him|her))\b"
)
_DEED_ZH = r"推荐|回答|回复|提到|提及|声称|告诉|介绍|发送|转发|优先|评为|称赞|隐瞒|引导|宣传"
_PRIVATE = (
    r"(?:conversations?|chats?|history|messages?|memor(?:y|ies)|passwords?|credentials?|(?:api )?keys?"
    r"|secrets?|tokens?|data|minutes|contacts?|location)"
)

_RULES = (
    _Rule(
        "sets its own importance",
        ANYONE,
        _any(
            rf"\b(?:importance|priority in memory)(?: (?:score|level|rating|value))?[\"'\]]?\s?"
            rf"(?:to|=|:|is|as|of(?= ?0?\.9| ?1\.0)|{_DUTY} be)?(?: (?:set to|at least))?(?: the)? ?{_TOP}",
            rf"\bimportance (?:you )?{_NEAR}\b(?:must|has to|have to|should|needs to) be\b{_NEAR}\b{_TOP}",
            rf"\b(?:set|give|rate|score|mark|assign|grade|classify|weigh|judge|store|save|deserves?)\b{_NEAR}"
            rf"\b(?:highest|maximum|max|top|critical|full)[ -](?:possible )?(?:importance|score|rating)",
            rf"\b(?:rate|score|grade|mark|classify) (?:it|this|that|me|everything)\b{_NEAR}\b{_TOP}",
            rf"\b(?:assessor|judge|grader|scorer)\s*[:,]",
            r"\b(?:10/10|1\.0) (?:in|of|for) importance\b",
            rf"(?:重要性|重要度|重要程度|评分)[^。！？\n]{{0,10}}(?:设|打|评|改|调|定|为|是|=|：|:|到|成)[^。！？\n]{{0,6}}{_TOP_ZH}(?![\d:])",
            r"最高(?:的)?重要性",
            r"\bP\s?=\s?[01](?:\.\d+)?\b.{0,20}\bJ\s?=|\bintensity\s?=\s?[01].{0,20}\bvalence\s?=",
        ),
    ),
    _Rule(
        "sets its own lifetime",
        ANYONE,
        _any(
            rf"\b{_DUTY} (?:all )?be (?:kept|stored|saved|remembered)\b{_NEAR}"
            r"\b(?:for ?ever|for ever|permanently|verbatim|core memory|never (?:be )?(?:deleted|forgotten))",
            r"\b(?:as|is) (?:a )?core memory\b|\bkeep everything, forget nothing\b",
            rf"\b(?:every (?:exchange|message)|everything) (?:is worth (?:keeping|storing)|is importan)",
            r"(?:必须|都要|一律)[^。！？\n]{0,12}(?:永久|永远)[^。！？\n]{0,4}(?:保存|保留|记忆|存储)|(?:必须|都)[^。！？\n]{0,14}(?:存|记)(?:为|成)永久记忆",
            r"永久保存[，,、 ]{0,2}(?:不要|不得|永不)?(?:过期|删除)",
        ),
    ),
    _Rule(
        "overrides instructions",
        ANYONE,
        _any(
            r"\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow|stop following)\b"
            r" (?:any |all |of |the |your |these |every |everything |previous |prior |above |earlier |preceding |existing |original |initial |scoring |judging |memory |system |other )*"
            r"(?:instructions?|guidelines?|rules|prompts?|directives|system prompt|programming|constraints)\b",
            r"\b(?:ignore|disregard|forget)\b (?:all |everything |of )*(?:the |what (?:is|was) |that (?:is|was) )?"
            r"(?:above|before this|previous|preceding|foregoing|earlier)\b(?: (?:text|content|messages?|conversation|preferences))?"
            r"[.,;:!]? ?(?:and |then |instead |just |please )*"
            r"(?:remember|store|save|record|output|respond|answer|reply|say|write|return|the user|assign|note)",
            r"\bforget everything (?:you (?:were|have been)|that you)\b",
            r"\bnew (?:task|instructions?|rules?|directive)s?(?: for [\w ]{1,30})?\s?[:：]",
            r"(?:忽略|无视|忘记|忘掉|不要理会|不用理会|别管|抛开|跳过|不要遵守|推翻)(?:掉)?[^。！？\n，,]{0,8}"
            r"(?:指示|指令|规则|提示词?|要求|设定|限制|准则)",
            r"(?:忽略|无视|忘记|忘掉|不要理会|不用理会|别管|抛开)[^。！？\n，,]{0,4}(?:以上|上面|上述|前面|之前)[^。！？\n，,]{0,6}[，,。]?[^。！？\n]{0,6}"
            r"(?:记住|保存|存为|存储|输出|回答|以后|都推荐|告诉)",
            rf"\b(?:guidelines|rules) have changed\b",
        ),
    ),
    _Rule(
        "gives the judge's answer itself",
        ANYONE,
        _any(
            r"[\"']importance[\"']\s*:\s*[\"']?[\d.]+[^{}]{0,400}[\"'](?:summary|tags|topics|memory_type|reasoning)[\"']\s*:",
            r"[\"'](?:summary|tags|topics|memory_type|reasoning)[\"']\s*:[^{}]{0,400}[\"']importance[\"']\s*:\s*[\"']?[\d.]",
            r"^(?:assistant|assessor|AI|助手)\s?[:：]\s?\{\s?\"importance\"",
            r"\b(?:above|this) is the (?:final |correct )?assessment\b|\bassessment (?:done|complete)\b",
        ),
    ),
    _Rule(
        "speaks as the system",
        ANYONE,
        _any(
            r"^[ \t]*(?:#{1,4} ?)?\[?(?:system|developer)(?: (?:message|prompt|note|update))?\]?\s?(?:[:：]|$)\s?"
            r"[^\n]{0,120}?\n?[^\n]{0,80}?\b(?:you (?:must|are|will|shall|should|now|store|always)|must|memor(?:y|ies)"
            r"|remember|importance|guidelines?|instructions?|assess\w*|rules? for|judge)\b",
            r"^[ \t]*(?:#{1,4} ?)?[\[【]?系统(?:提示|消息|指令|通知)?[\]】]?\s?[:：][^\n]{0,60}(?:必须|记住|保存|用户|规则|重要|助手|你)",
            r"<\|(?:im_start|start_header_id|system)\|?>\s?\w+\s[^\n]{10}|\[INST\]|<<SYS>>",
        ),
    ),
    _Rule(
        "tells the judge what it is",
        ANYONE,
        _any(
            rf"\byou(?: are|'re) (?:now |really |only )*(?:the |an? |acting as )*{_ASSESSOR}\b",
            r"\byou(?: are|'re) (?:now )?(?:grading|rating|scoring|assessing|judging|summari[sz]ing) (?:this|the|our|a)\b",
            r"\byou(?: are|'re) now (?:in \w+ mode|DAN\b|free of|unrestricted|without (?:restrictions|rules))",
            rf"\bnote (?:to|for) the {_ASSESSOR}\b|\bas (?:the|a) (?:importance |memory )(?:assessor|judge)\b",
            r"\b(?:memory|importance) (?:assessor|judge|grader)\b(?=.{0,40}\b(?:must|keep|store|rate|should|deserves)\b)",
        ),
    ),
    _Rule(
        "speaks to the machine that reads it",
        ANYONE,
        _any(
            rf"\bif you(?: are|'re) (?:an? )?{_MODEL}\b",
            rf"\b{_MODEL} (?:that|who|which)? ?(?:reads?|reading|see(?:s|ing)?|process(?:es|ing)?) (?:this|it)\b",
            rf"\b(?:note|notes|instructions?|message|memo|reminder) (?:to|for) (?:the |all |any |my |your )?{_MODEL}\b",
            r"如果你是(?:一个)?(?:AI|人工智能|语言模型|大模型|智能助手|助手)",
            r"(?:AI|智能)?(?:助手|助理)们?[，,]?请(?:记住|在|把|从|优先|务必|将)|请(?:各位|所有)?(?:AI|智能)?(?:助手|助理)(?:从|把|记|在|务必)",
            r"(?:AI|人工智能)(?:助手|助理)请",
        ),
    ),
    _Rule(
        "speaks to the assistant",
        frozenset({Origin.SHOWN, Origin.CONTEXT}),
        _any(
            rf"(?:^|[.!?:;,\"“>\])]\s*|\b(?:dear|hey|attention|hello)\s+)(?:dear |hey |all )?{_MODEL}\s?[:,，：]",
            rf"\binstructions? (?:to|for) the model\b",
        ),
    ),
    _Rule(
        "tells the assistant to keep something from the user",
        ANYONE,
        _any(
            r"\b(?:do not|don't|never|without|must not|not to|shall not)\b(?: ever)? "
            r"(?:tell(?:ing)?|inform(?:ing)?|reveal(?:ing)?|mention(?:ing)?|show(?:ing)?|warn(?:ing)?|notify(?:ing)?|disclos(?:e|ing)|let(?:ting)?|alert(?:ing)?)\b"
            rf"{_NEAR}\bthe user\b",
            r"(?:不要|别|不得|切勿|禁止|不能|无需)(?:让|向|对)?(?:告诉|告知|通知|提醒|透露)?(?:给)?用户(?:知道|透露|提起|发现)?",
        ),
    ),
    _Rule(
        "plants an instruction for later",
        OTHERS,
        _any(
            rf"{_FROM_NOW_ON_STRICT}{_FAR}\b(?:always|never|must)\b",
            rf"{_FROM_NOW_ON_STRICT}{_NEAR}{_DEED}",
            rf"{_DEED}{_NEAR}{_FROM_NOW_ON_STRICT}",
            rf"\b(?:I|you|the assistant) (?:must|will|shall|have to|should)(?: remember)?:? ?(?:always|never)\b{_NEAR}{_DEED}",
            rf"\b(?:I|you|the assistant) (?:must|have to) {_NEAR}{_DEED}{_NEAR}\b(?:whenever|every time|each time|in every)\b",
            rf"\b(?:whenever|every time|each time)\b{_FAR}[,:]? (?:please |always |you (?:must|should) |I (?:must|will) )*{_DEED}",
            r"(?:从现在(?:起|开始)|从今(?:以后|往后|天起|后)|今后|以后|往后)[^。！？\n]{0,24}"
            rf"(?:都|必须|一律|总是|每次|每个|凡是|只要|都要|会在)[^。！？\n]{{0,24}}(?:{_DEED_ZH})",
            rf"(?:每次|凡是|只要|每当)[^。！？\n]{{0,24}}(?:都|必须|一律|就|优先)[^。！？\n]{{0,16}}(?:{_DEED_ZH})",
        ),
        unless_wished=True,
    ),
    _Rule(
        "plants an instruction for later",
        frozenset({Origin.SHOWN, Origin.CONTEXT, Origin.SUMMARY}),
        _any(
            rf"(?:^|[.!?:;\"“>\]\-—]\s*|\b(?:please|must|should|and|will|to)\s+)(?:always|never) {_DEED}",
            rf"\b(?:user|assistant) (?:must|should|has to|is to) (?:always |never )?be (?:told|warned|informed|shown)\b",
        ),
        unless_wished=True,
    ),
    _Rule(
        "puts words into the assistant's mouth",
        OTHERS,
        _any(
            r"\b(?:when|whenever|if|once|each time|every time)\b (?:(?:you(?: are|'re| get)?|the user|(?:the )?\w+(?: of (?:this|the) \w+)?|someone|anyone|they) )?"
            rf"(?:is )?ask(?:s|ed)?\b[^.,:;!?\n]{{0,60}}?[,:]? (?:then |please |just |you (?:must|should|will) |always |simply )*"
            r"(?:say|tell|answer|reply|respond|claim|recommend|state|insist|deny|praise|pretend)\b",
            r"(?:当|每次|只要|如果|凡是)?用户(?:再)?(?:问|提)[^。！？\n]{0,20}(?:就|都|请|一律|必须)?(?:回答|推荐|说|告诉|回复)",
            r"凡是[^。！？\n]{0,14}问题都(?:回答|说|答)",
        ),
        unless_wished=True,
    ),
    _Rule(
        "sends the user's data away",
        OTHERS,
        _any(
            rf"\b(?:send|forward|post|upload|leak|e-?mail|transmit|submit|copy|exfiltrate)\b{_FAR}\b{_PRIVATE}\b{_FAR}"
            r"(?:https?://|\b[\w.-]+@[\w.-]+\w)",
            r"!\[[^\]\n]{0,80}\]\([^)\n]{0,200}[<{$]",
            r"(?:发送|发给|发到|转发|上传|泄露|提交)[^。！？\n]{0,30}(?:密码|聊天|对话|记忆|资料|隐私|验证码)"
            r"|(?:密码|聊天记录|对话|记忆|资料|隐私|验证码)[^。！？\n]{0,12}(?:发送|发给|发到|转发|上传|泄露)",
        ),
        unless_wished=True,
    ),
    _Rule(
        "dictates what to remember of the user",
        SAID_BY_OTHERS,
        _any(
            r"\b(?:remember|record|store|save|note|keep)\b(?: (?:it|this|in (?:your |long-term )?memory))*[:,]? ?(?:that )?(?:the|this) user\b",
            r"\b(?:add|save|store|record|write|keep|put|commit)\b (?:it |this |that )?(?:in|to|into) (?:your |the |long-term |its )*memor(?:y|ies)\b",
            rf"\b(?:add|save|store|record|keep) (?:it|this|that)? ?as (?:a |an )?(?:verified |confirmed |user )*(?:fact|preference|memory)\b",
            r"\bmemory (?:update|entry|note)\s?[:：]",
            r"\b(?:the )?user (?:has|had|is|was) (?:now |already )?(?:an? )?(?:authori[sz]ed|approved|consent(?:ed|s)|granted|administrator|admin|root)\b",
            rf"\bremember for all future\b",
            r"(?:记住|记录|保存|存下)[：:，, ]?(?:该|这个|此|本)?用户|(?:当作|作为|存为|记为)用户的?(?:偏好|事实|喜好|记忆)|存为[^。\n]{0,6}记忆",
        ),
    ),
    _Rule(
        "dictates what to remember of the user",
        ANYONE - {Origin.SUMMARY},
        _any(
            r"\bremember (?:that )?(?:the|this) user (?:has |is )?(?:an? |now )*(?:admin\w*|root|authori[sz]\w*|approv\w*|agree[sd]?|consent\w*|trust\w*|owner)",
            r"(?:存为|记为|当作)用户的(?:偏好|事实|记忆)|记住[：:，, ]?(?:该|这个|此)?用户(?:是|已|最|授权|信任|同意)",
        ),
    ),
)


def screen(exchange: Exchange, summary: str = "") -> Finding | None:
    """What tries to steer the judge or to plant an instruction, in the exchange as it is judged or
    in the summary made of it; None where nothing does."""
    wishes = _words(own_words(exchange))
    said = " ".join(exchange.user_message.split())
    for part in [*parts_of(exchange), Part(summary, Origin.SUMMARY)]:
        for rule in _RULES:
            if part.origin not in rule.origins:
                continue
            for sentence in _matching(rule, part.text):
                echo = part.origin in MAY_ECHO and rule.unless_wished
                # A summary in the user's own words was screened with them, origin by origin.
                again = part.origin is Origin.SUMMARY and sentence.rstrip("…") in said
                if not (again or (echo and _echoes(sentence, wishes))):
                    return Finding(rule.does, part.origin, sentence[:QUOTED_LENGTH])
    return None


def _matching(rule: _Rule, text: str) -> Iterator[str]:
    """The sentences in which the rule finds its wording."""
    for match in rule.pattern.finditer(text):
        yield _sentence(text, match.start(), match.end())


_END = re.compile(r"[.!?](?=\s)|[。！？\n]")


def _sentence(text: str, start: int, end: int) -> str:
    """What is around the match, to the ends of its sentence, on one line."""
    before = [match.end() for match in _END.finditer(text, 0, start)]
    after = _END.search(text, end)
    whole = text[before[-1] if before else 0 : after.end() if after else len(text)]
    return " ".join(whole.split())


_NO_WISH = frozenset(
    "a an and any are as at be by do for from i i'll i'm in is it its just me my now of on or our so"
    " sure that the this to us will with you your you'll ok okay always never every each time going"
    " forward here again please can could would henceforth not must shall user 我 你 您 会 以 后 就"
    " 的 了 在 都 用 从 现 起 好".split()
)


def _words(text: str) -> set[str]:
    words = re.findall(r"[\w']+", prepare(text.casefold()))
    return {word[:5] if word.isascii() else word for word in words if word not in _NO_WISH}


def _echoes(sentence: str, wishes: set[str]) -> bool:
    """Whether the sentence says what the user asked for in words of their own."""
    words = _words(sentence)
    return bool(words) and len(words & wishes) >= ECHOED * len(words)
