"""Tells system prompts that set a task on the following text from those of conversations."""

import re

from assessor.gate.likeness import sets_a_task
from assessor.gate.signals import JSON_ANSWER, RULE_LINE, TASK_SIGNALS, self_share

# A system prompt states its task at the beginning.
DUTY_CHARACTERS = 250
_SYSTEM_TASK = re.compile(
    r"\b(?:titles?|tags|key-?words?|follow[- ]?ups?|search quer(?:y|ies)|emojis?|summar(?:y|ies"
    r"|i[sz]\w+)"
    r"|translat\w+|extract\w*|classif\w+|categori[sz]\w+|rewrit\w+|rephras\w+|sentiments?"
    r"|entit(?:y|ies)"
    r"|detect\w*|auto-?complet\w+|locale)\b"
    r"|标题|标签|关键词|摘要|总结|翻译|提取|分类|改写|表情|起名|命名|识别",
    re.IGNORECASE,
)
_SURE_TASK = re.compile(
    r"\bstand-?alone (?:question|query)|独立的?(?:问题|查询)"
    r"|\bimpartial judge\b|\bevaluation system for\b"
    # One call of one tool; queries for a search; a candidate among several; an edit to come
    r"|\bmust call (?:the )?[\w`'\"]{3,40} (?:\w+ )?exactly once\b"
    r"|\b(?:construct|generate|write|create|formulate|produce)\b[^.\n]{0,40}\bsearch queries\b"
    r"|\bcandidate (?:observations?|memor(?:y|ies)|facts?|answers?|responses?)\b"
    r"|\bsub-?agents? (?:outputs?|results?|reports?)\b"
    r"|\bpredict\w{0,4} the next\b|\A\W{0,9}generate an? (?:json )?object\b",
    re.IGNORECASE,
)
_TALKS = re.compile(
    r"\bhelpful\b|\bfriend\w*|\bcompanion\b|\b(?:chat|talk|converse) with\b"
    r"|\bpersona(?:l|s|lity|lities)?\b"
    r"|\b(?:help|assist|support)(?:s|ing)? (?:the |your )?(?:user|people|customer|me|them)"
    r"|\banswer\w* (?:the |their |any |all )?(?:user|question|customer)"
    r"|\b(?:tutor|coach|mentor|teacher|therapist|concierge|(?:customer|tech\w*) support)\b"
    r"|陪伴|朋友|聊天(?:助手|伙伴)|有帮助",
    re.IGNORECASE,
)

# A task on one text, in a system prompt of a few sentences: its verb, the text in the message, and
# the form of the output. An assistant that then answers is not such a task.
_WORKS_ON = re.compile(
    r"(?:\A|[.!?:;,\n] *|\b(?:you|to|and|then|please|that|which|who) )(?:classif(?:y|ies)"
    r"|(?:categori[sz]e|label|translate|extract|summari[sz]e|condense|rewrite|rephrase|reformulate"
    r"|paraphrase|determine|decide|detect|identify|analy[sz]e|flag|moderate|choose|select|pick|convert|transform|turn"
    r"|generate|suggest|name|title|tag|score|grade|rate|judge|evaluate|compare|map|route|fill"
    r"|anonymi[sz]e|correct|fix|check|guess|proofread|shorten|describe|produce|write|list|output"
    r"|return)s?)\b|\b(?:translation|summari[sz]ation"
    r"|classification|extraction|evaluation) (?:engine|model|service|system|api)\b"
    r"|翻译|分类|提取|抽取|总结|概括|改写|判断|生成|选择|识别|转换|整理|打分|评分"
    r"|润色|纠正|起[^，。]{0,12}(?:名|标题)",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(?:the|this|that|each|every|an?|two|given|following|provided) (?:[\w'’-]+ ){0,2}"
    r"(?:messages?|texts?|inputs?|utterances?|questions?|quer(?:y|ies)|conversations?|chats?|threads?"
    r"|reviews?|transcripts?|diffs?|pictures?|statements?|sentences?|requests?|documents?|articles?"
    r"|passages?|e-?mails?|comments?|posts?|responses?|answers?)\b"
    r"|\b(?:from|analy[sz]e|classify|moderate|flag any) (?:text|content)\b|\buser inputs?\b"
    r"|\byou (?:are|will be) (?:given|shown|provided)\b|\bthe responses? provided\b"
    r"|\b(?:everything|whatever|anything) the user\b"
    r"|\b(?:provided|given|supplied|submitted) by the user\b"
    r"|文本|原文|句子|评论|邮件|会议记录|文章|以下|下列|用户的?(?:输入|消息|问题|提问|查询|请求)"
    r"|用户(?:提供|发送)的|对话|会话",
    re.IGNORECASE,
)
_ONE_OUTPUT = re.compile(
    r"\b(?:one|two|a single) (?:\w+ ){0,2}(?:words?|line|sentence|letter|number|label)\b"
    r"|\byes or no|\boutput (?:an? |the )?[\w-]+|\bonly(?:[.!]|\Z)|\bone of:"
    r"|\bdetermine if\b|\bflag any\b|\boutput json\b"
    r"|不要标点|不需要包含|输出(?:无|成|为|语言)|以[^，。\n]{0,20}输出",
    re.IGNORECASE,
)
_THEN_ANSWERS = re.compile(
    r"\b(?:and|then|before you|to) (?:answer|reply|respond|help|assist|continue|explain|ask|discuss"
    r"|chat|comment)\b|(?:再|然后|并|后)(?:再)?(?:回答|回复|解答)|陪|聊",
    re.IGNORECASE,
)
# Words that describe a character people talk with, besides those of _TALKS.
_ADDRESSES = re.compile(
    r"\b(?:tutor|coach|mentor|teacher|therapist|companion|friend\w{0,5}|concierge|trainer)\b",
    re.IGNORECASE,
)
# A job on texts that no assistant for people has.
_JOB = re.compile(
    r"\b(?:job|task|role|goal|responsibility|objective|purpose) is to (?:carefully )?(?:extract"
    r"|classify|categori[sz]e|identify|detect|summari[sz]e|condense|distill|rewrite|rephrase"
    r"|reformulate|evaluate|judge|grade|score|label|tag|moderate|verify|analy[sz]e|assess|compare"
    r"|rank)\b",
    re.IGNORECASE,
)
_AND_TALKS = re.compile(
    r"\b(?:and|then) (?:answer|reply|respond|continue|ask|discuss|chat|talk)\b", re.IGNORECASE
)
_JOB_CHARACTERS = 600


def is_task(system: str) -> bool:
    """Return whether a system prompt sets a task on the text that follows, not a conversation."""
    return _is_task_system(system) or _reads_like_a_task(system)


def is_conversation(system: str) -> bool:
    """Return whether the system prompt may be that of an assistant that people talk with."""
    return bool(_TALKS.search(system))


def _is_task_system(system: str) -> bool:
    """Return whether the system prompt sets a task on the text that follows, not a conversation."""
    duty = system[:DUTY_CHARACTERS]
    if _SURE_TASK.search(duty) or _has_job(system):
        return True
    if is_conversation(system):
        return False
    if len(JSON_ANSWER.findall(system)) >= 2 or _is_one_task(system):
        return True
    if not _SYSTEM_TASK.search(duty):
        return False
    is_bound = TASK_SIGNALS["limit"][1].search(system) or TASK_SIGNALS["example"][1].search(system)
    has_rules = len(RULE_LINE.findall(system)) >= 3
    return bool(TASK_SIGNALS["output"][1].search(system) and (is_bound or has_rules))


def _has_job(system: str) -> bool:
    """Return whether a system prompt names a job on a text, and nobody to talk with."""
    begin = system[:_JOB_CHARACTERS]
    if not _JOB.search(begin) or self_share(begin) or _AND_TALKS.search(begin):
        return False
    return bool(_GIVEN.search(begin) and not _ADDRESSES.search(begin))


def _reads_like_a_task(system: str) -> bool:
    return sets_a_task(
        system, may_talk=is_conversation(system), names_a_text=bool(_GIVEN.search(system))
    )


def _is_one_task(system: str) -> bool:
    """Return whether a system prompt is a task on the message's text that prescribes a form of
    output.

    A person's own system prompt mentions the person, or mentions no text.
    """
    duty = system[:DUTY_CHARACTERS]
    if not (_WORKS_ON.search(duty) and _GIVEN.search(duty)):
        return False
    if self_share(duty) or _THEN_ANSWERS.search(duty):
        return False
    return bool(TASK_SIGNALS["output"][1].search(system) or _ONE_OUTPUT.search(system))
