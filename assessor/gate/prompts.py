"""Names the reason why a message teaches nothing: a program wrote it, or it only shows a text."""

import json
import re
from enum import StrEnum

from assessor.gate.frames import has_frame
from assessor.gate.handed import STATED
from assessor.gate.likeness import is_like_a_program, sets_a_task
from assessor.gate.own_words import Parts, bounded, parts_of
from assessor.gate.signals import (
    AGAIN,
    COLON,
    CONTENT,
    END_LABEL,
    ERROR,
    HEADING,
    JSON_ANSWER,
    MUCH_SELF,
    RULE_LINE,
    SCAFFOLD,
    SOME_SELF,
    TASK_SIGNALS,
    TOOL_REPORT,
    WORD,
    self_share,
)

# Sum of the weights from which a message is a program's prompt. Lower if nobody speaks of
# themselves in it: then little can be lost.
ENOUGH, ENOUGH_WITHOUT_SELF, ENOUGH_BESIDE_A_TEXT = 5, 4, 2
# Longest request, in words, beside a document that says nothing of its sender.
REQUEST_WORDS = 16
# A system prompt names its duty at the beginning.
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
# A framework sends its parser's error, however much of the answer that quotes, or only asks for
# another answer.
_PARSER_ERROR = re.compile(
    r"\A\s*(?:\d{1,3} )?validation (?:feedback|errors?)"
    r"(?: (?:found|due to)\b[^\n:]{0,80})?:[ \t]*\n",
    re.IGNORECASE,
)
_ASKS_AGAIN = re.compile(
    r"\bfix the errors?\b|\brecall the function\b"
    r"|\bplease (?:return|include|respond|call|provide)\b[^.\n]{0,60}\b(?:a tool|tool calls?)\b",
    re.IGNORECASE,
)
_SURE_TASK = re.compile(
    r"\bstand-?alone (?:question|query)|独立的?(?:问题|查询)"
    r"|\bimpartial judge\b|\bevaluation system for\b",
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

# A task on one text, in a system prompt of a few sentences: its verb, the text that the message
# brings, and the form of the output. An assistant that then answers is none.
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
    r"|\byou (?:are|will be) given the following\b|\bthe responses? provided\b"
    r"|\b(?:everything|whatever|anything) the user\b"
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


class GateReason(StrEnum):
    """A reason why a request teaches nothing."""

    CLIENT_TASK = "client_task"  # the client says so, in a header or a field
    TASK_PROMPT = "task_prompt"
    RETRY = "retry"
    TOOL_OUTPUT = "tool_output"
    DOCUMENT = "document"
    TRANSCRIPT = "transcript"
    REPEATED_TEMPLATE = "repeated_template"


def gate_reason(text: str, system: str = "") -> GateReason | None:
    """Return why this message teaches nothing, or None for a person's own words.

    `system` is the system prompt before it, if the client sent one.
    """
    if _is_data(text):
        return GateReason.TOOL_OUTPUT
    text = bounded(text)
    parts = parts_of(text)
    own_self = self_share(parts.own)
    if _quotes_an_error(text) or (own_self < MUCH_SELF and _is_retry(parts.frame, text)):
        return GateReason.RETRY
    if _is_tool_output(parts.frame):
        return GateReason.TOOL_OUTPUT
    score = 0 if parts.asked else task_score(parts, text)
    if score >= _enough(own_self) or (not parts.asked and _begins_as_task(text)):
        return GateReason.TASK_PROMPT
    if not parts.asked and (has_frame(text) or is_like_a_program(parts, text)):
        return GateReason.TASK_PROMPT
    system = bounded(system)
    if _is_task_system(system) or _reads_like_a_task(system):
        return GateReason.TASK_PROMPT
    if _only_shows(parts, score):
        return GateReason.TRANSCRIPT if parts.has_transcript else GateReason.DOCUMENT
    return None


def _only_shows(parts: Parts, score: int) -> bool:
    """Return whether a message shows a text, and says nothing of its sender."""
    if parts.asked or not (parts.has_document or parts.has_transcript):
        return False
    if self_share(parts.own) or STATED.search(parts.own):
        return False
    return _is_only_a_request(parts) or score >= ENOUGH_BESIDE_A_TEXT


def task_score(parts: Parts, text: str) -> int:
    """Return the sum of the signals of a program's prompt, less those of a person."""
    frame = parts.frame
    score = sum(weight for weight, signal in TASK_SIGNALS.values() if signal.search(frame))
    headings = {found["name"].strip().casefold() for found in HEADING.finditer(text)}
    score += min(len(headings), 3)
    score += 2 if END_LABEL.search(text.rstrip()) else 0
    score += 1 if len(RULE_LINE.findall(frame)) >= 3 else 0
    score += 2 if parts.has_transcript else 0
    share = self_share(frame)
    return score - (6 if share >= MUCH_SELF else 3 if share >= SOME_SELF else 0)


def _begins_as_task(text: str) -> bool:
    """Return whether the text begins with a task on a text of others, which follows it.

    The text itself may be in the first person.
    """
    end = CONTENT.search(text)
    colon = COLON.search(text)
    if end is None or end.start() == 0:
        end = colon
    if end is None:
        return False
    task = text[: end.start()]
    found = {name for name, (_, signal) in TASK_SIGNALS.items() if signal.search(task)}
    on_others = found & {"third person", "conversation", "given text"}
    if "duty" not in found or not on_others or self_share(task):
        return False
    return len(found) > 2 or end is not colon


def _enough(own_self: float) -> int:
    return ENOUGH if own_self else ENOUGH_WITHOUT_SELF


def _is_data(text: str) -> bool:
    """Return whether the whole text is JSON, other than a word or number."""
    text = text.strip()
    if text[:1] not in "{[":
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _quotes_an_error(text: str) -> bool:
    """Return whether a framework asks for an answer without the errors that it lists."""
    return bool(_PARSER_ERROR.match(text) and _ASKS_AGAIN.search(text))


def _is_retry(frame: str, text: str) -> bool:
    if _ASKS_AGAIN.search(frame) and not self_share(frame):
        return True
    return bool(ERROR.search(text) and AGAIN.search(frame))


def _is_tool_output(frame: str) -> bool:
    """Return whether the text reports a tool's result, or has the labels of an agent's notes."""
    labels = {found["name"].casefold() for found in SCAFFOLD.finditer(frame)}
    is_notes = len(labels) >= 2 or ("thought" in labels and "question:" in frame.casefold())
    return is_notes or bool(TOOL_REPORT.match(frame.lstrip(" \n#*[<")))


def _is_only_a_request(parts: Parts) -> bool:
    return len(WORD.findall(parts.own)) <= REQUEST_WORDS


def is_conversation(system: str) -> bool:
    """Return whether the system prompt may be that of an assistant that people talk with."""
    return bool(_TALKS.search(system))


def _is_task_system(system: str) -> bool:
    """Return whether the system prompt sets a task on the text that follows, not a conversation."""
    duty = system[:DUTY_CHARACTERS]
    if _SURE_TASK.search(duty):
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


def _reads_like_a_task(system: str) -> bool:
    return sets_a_task(
        system, may_talk=is_conversation(system), names_a_text=bool(_GIVEN.search(system))
    )


def _is_one_task(system: str) -> bool:
    """Return whether a system prompt is a task on the text of the message, with a form of output.

    A person's own system prompt speaks of the person, or of no text.
    """
    duty = system[:DUTY_CHARACTERS]
    if not (_WORKS_ON.search(duty) and _GIVEN.search(duty)):
        return False
    if self_share(duty) or _THEN_ANSWERS.search(duty):
        return False
    return bool(TASK_SIGNALS["output"][1].search(system) or _ONE_OUTPUT.search(system))
