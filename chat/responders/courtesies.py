"""Recognises messages that only keep a conversation going: greetings, thanks, "ok", "lol".

Such a message has only words of small talk, as in "that's all for today, bye!". Its signs show
which kind it is. "Goodbye party for Tom" has other words too.
"""

import re
import unicodedata

from chat.responders.kinds import Kind

LONGEST = 60
"""Characters. A longer message tells something."""


_SMALL_TALK = (
    "a about afk afternoon afternoons again ah aha all alright also am an and any appreciate"
    " appreciated are as at awesome be been best brb bunch but bye care catch cheers cool"
    " correct cya day did do doing done ebb enough evening ever everyone exactly fair false fine"
    " for from funny get go going good goodbye got gotta great greetings had hahaha have haven't"
    " hehe hello help helped helpful helps here hey hi hiya hm hmm how howdy i i'd i'll i'm i've"
    " if incorrect indeed interesting is isn't it it's its just k kind kk later lmao lol lot"
    " lots lovely luck made makes many mate me meant mind mistake mistaken more morning much"
    " must nah need never nevermind nice night no nope not noted now of off oh ok okay omg on"
    " out perfect please pleasure problem quite really rest right rofl run said see sense sir"
    " sleep so soon sorry sounds sup sure sweet take talk talking thank thanks that that's the"
    " them then there things this thx tight to today tomorrow too true ty understood up very was"
    " wasn't way weekend well were what what's will wonderful worries wow wrong ya yay yeah yep"
    " yes you you'd you're you've your yup"
)
_WORDS = frozenset(_SMALL_TALK.split())
# The first match decides. A bare "yes" may answer a question, so it has no sign.
_SIGNS = {
    Kind.DENIAL: r"\b(?:wrong|incorrect|false|mistaken?)\b"
    r"|\b(?:not|isn't|wasn't) (?:at all |quite |really )?(?:right|true|correct|it|what|so)\b",
    Kind.FAREWELL: r"\b(?:(?:good)?bye|cya|(?:good|night) night)\b|\b(?:see|catch) (?:you|ya)\b"
    r"|\btalk (?:to you )?(?:later|soon|tomorrow)\b|\b(?:gotta|to|must) (?:go|run)\b"
    r"|^(?:you )?take care\b"
    r"|^have a\b",
    Kind.THANKS: r"\b(?:thanks|thank|thx|ty|cheers|appreciated?)\b",
    Kind.GREETING: r"^(?:oh )?(?:hi|hello|hey|hiya|howdy|greetings|(?:good )?(?:morning"
    r"|afternoon|evening))\b|^how are you|^nice to see you",
    Kind.ACKNOWLEDGEMENT: r"\b(?:ok|okay|kk?|alright|cool|nice|great|good|perfect|awesome|fine"
    r"|exactly|correct|indeed|wow|ah|aha|oh|hmm?|lol|lmao|rofl|omg|hahaha|hehe|brb|afk|understood"
    r"|fair|sense|nevermind|never mind|sounds|funny|yay|lovely|interesting|noted|sweet|wonderful"
    r"|no problem|no worries|got it|i see|that's (?:right|true))\b",
}
_ENGLISH = {kind: re.compile(rule) for kind, rule in _SIGNS.items()}
_HOW = re.compile(
    r"(?:\bhow(?:'s| are| is| was| have)\b(?: (?:you|your|it|things|everything|life|been|going"
    r"|doing|today|feeling|day))+|\bhow do you do|\bwhat's (?:up|new)|\bsup"
    r"|\b(?:i )?hope you(?:'re| are) (?:doing )?well)\W*\Z"
)
_WORDS_ZH = re.compile(
    r"(?:知道|明白|了解|收到|没错|没事|不错|谢谢|多谢|感谢|非常|帮助|帮忙|大家|早上|中午|下午|晚上"
    r"|今天|最近|过得|怎么样|再见|拜拜|回头|明天|下次|睡觉|哈喽|在吗|辛苦|厉害|真的|这样"
    r"|[好的吧嘞嗯哦噢哈呵嘿行谢太很你您了呀啊啦哟吗见聊我去先走睡不对错记说这是得那就嗨早安晚拜])+"
)
_SIGNS_ZH = {
    Kind.DENIAL: r"不对|错(?<!没错)(?<!不错)|不是",
    Kind.FAREWELL: r"再见|晚安|拜|[天头次]见|下次聊|走了",
    Kind.THANKS: r"谢|辛苦",
    Kind.GREETING: r"^早|[你您家]好|嗨|哈喽|晚上好|下午好|怎么样|好吗|在吗",
    Kind.ACKNOWLEDGEMENT: r"^(?!对|是|不).*(?:[好嗯哦噢哈呵嘿行]|知道|明白|了解|收到|没|不错)",
}
_CHINESE = {kind: re.compile(rule) for kind, rule in _SIGNS_ZH.items()}


def courtesy_of(text: str) -> Kind | None:
    """Return the kind of small talk, or None if the message has other words."""
    if len(text) > LONGEST:
        return None
    said = unicodedata.normalize("NFKC", text).replace("\u2019", "'").lower()
    said = " ".join(re.findall(r"\w+(?:'\w+)?|\?", re.sub(r"(\w)\1{2,}", r"\1", said)))
    if not said:
        is_picture = any(unicodedata.category(sign) == "So" for sign in text)
        return Kind.ACKNOWLEDGEMENT if is_picture else None
    if _WORDS_ZH.fullmatch(re.sub(r"[ ?]", "", said)):
        return _first(_CHINESE, said)
    rest = _HOW.sub("", said)
    words = re.sub(r"\b(?:ha){2,}h?\b", "hahaha", rest).split()
    if not _WORDS.issuperset(words):
        return None
    return Kind.GREETING if rest != said else _first(_ENGLISH, " ".join(words))


def _first(rules: dict[Kind, re.Pattern[str]], said: str) -> Kind | None:
    return next((kind for kind, rule in rules.items() if rule.search(said)), None)
