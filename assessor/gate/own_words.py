"""Separates a person's own words from the text around them: documents, transcripts, code,
templates.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assessor.gate.handed import handed_in
from assessor.gate.pasted import without_pasted
from assessor.gate.requests import Whose

# Tags around the person's question in a template.
_ASKED = (
    r"(?:user|human|customer|target|research)[_-]?"
    r"(?:query|question|input|message|request|prompt)|question|query"
)
_ASKED_TAG = re.compile(rf"<({_ASKED})>(?P<said>(?:[^<]|<(?!\1>)){{0,2000}}?)</\1>", re.IGNORECASE)
# Tags around text of others, however short.
_SHOWN_TAGS = (
    r"(?:chat|conversation|message)[_-]?(?:history|log)|history|conversation|messages?"
    r"|dialog(?:ue)?"
    r"|transcript|context|contexts|documents?|doc|sources?|passages?|chunks?|knowledge|article|page"
    r"|web ?page|html|body|email|file|files|text|content|quote|attach\w*|examples?|data"
    r"|search_results"
    r"|retrieved\w*|input|output|schema|instructions?|rules|role|task\w*"
)
_LONG = 80  # characters between any pair of tags; people type fewer
_TAG = re.compile(r"<(?P<close>/)?(?P<name>[A-Za-z][\w-]{0,40})(?:\s[^<>]{0,500})?>")
# Of a longer text, only the beginning and the end are examined.
LONGEST, ENDING = 20_000, 4_000
_BLOCKS = re.compile(
    r"\[(?:the )?(?:begin|start)\b[^\]\n]{0,60}\].*?(?:\[(?:the )?end\b[^\]\n]{0,60}\]|\Z)|"
    r"<!--.*?(?:-->|\Z)"
    r"|```.*?(?:```|\Z)"
    r'|"""(?:.*?)"""'
    # Text between lines of dashes, if the line before announces it: not a heading, not a divider
    r"|(?:(?<=[.:：。)]\n)|(?<=[.:：。)] \n)|(?<=[.:：。)])"
    r"|(?<=[.:：。)] ))[ \t]*(?P<rule>[-_=*~])(?P=rule){4,}"
    r"[ \t]*\n.*?(?:(?P=rule){5,}[ \t]*$|\Z)"
    r"|^[ \t]*<?(?:>{3}|<<<)>?[ \t]*\n.*?(?:^[ \t]*<?(?:>{3}|<<<)>?[ \t]*$|\Z)"
    rf"|<(?P<shown>{_SHOWN_TAGS})\b[^<>]{{0,200}}>.{{0,400}}?</(?P=shown)>"
    rf"|^[ \t]*<(?:{_SHOWN_TAGS})\b[^<>]*>[ \t]*\n.*"
    r"|(?:^[ \t]*>(?!>)[^\n]*(?:\n|\Z))+"
    r"|\[(?:web ?page|document|e-?mail|article|file|网页|文档|邮件)\b[^\]\n]{0,60}\].*",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_ROLES = r"user|human|assistant|ai|bot|system|model|用户|助手|客服|机器人"
_SPEAKER = re.compile(
    rf"^[ \t]*(?:[\[(]?\d\d?:\d\d[^\n:：]{{0,12}}?[\])]?[ \t]*)?"
    rf"(?:[*_#]{{1,3}}[ \t]*)?(?P<who>(?i:{_ROLES}|her|him|me|she|he|them|op)"
    rf"|[A-Z][\w'’.-]{{0,20}}(?: \w{{1,20}}){{0,2}}"
    r"|[\u3400-\u9fff]{1,4})(?:[ \t]*\([^()\n]{1,20}\))?[*_]{0,3}[:：]",
    re.MULTILINE,
)
_ROLE = re.compile(_ROLES, re.IGNORECASE)
# Labels of the person's question in a template with retrieved text.
_ASKED_LABEL = re.compile(
    r"^[ \t>#*\[]*(?:(?:the |my )?(?:user(?:['’]?s)?|human|original|current|new|customer|actual"
    r"|final|target|research)"
    r"[ _]?)?(?:question|query|request|asks?|message|input|prompt|问题|提问|用户提问|用户问题)"
    r"(?: to answer)?[\])* \t]*[:：][ \t*]*",
    re.IGNORECASE | re.MULTILINE,
)
_ASKED_INLINE = re.compile(
    r"(?:\b(?:answer|respond to|reply to) (?:the |this |my )?"
    r"(?:(?:user|following|new|original)(?:['’]s)? )?(?:question|query|request)|(?<=, )answer)"
    r"[:：][ \t]*",
    re.IGNORECASE,
)
_NEXT_LABEL = re.compile(
    r"\n[ \t>#*\[]*[A-Z\u3400-\u9fff][\w'’/()-]{0,20}(?: [\w'’/()-]{1,20}){0,4}\]?[:：]"
    r"|\n[ \t]*(?:[-=_*]{3,}|#{1,6} |</?[a-z]|\[[A-Z])|\[/"
)
_ANSWERED = re.compile(
    r"\n[ \t>#*]{0,9}(?:answer|response|回答|答案)[:：][ \t*]{0,9}\S", re.IGNORECASE
)
_RETRIEVED = re.compile(
    r"\bcontexts?\b|\b(?:documents?|passages?|excerpts?|sources?|snippets?|chunks?"
    r"|knowledge(?: base)?"
    r"|search results?|retrieved|references?|notes)\b|上下文|资料|文档|参考|知识库|已知信息|检索",
    re.IGNORECASE,
)
_TO_ANSWER = re.compile(
    r"\b(?:answer|respond to|reply to|address)\b[^.\n]{0,60}\b(?:question|query|user|request"
    r"|message)"
    r"|\b(?:question|query)\b[^.\n]{0,40}\banswer(?:ed|ing)?\b|\buse\b[^.\n]{0,60}\bto answer\b"
    r"|\bbased (?:only |solely )?on\b|\bfinal answer\b"
    r"|回答[^。\n]{0,12}(?:问题|提问|用户)|根据[^。\n]{0,20}(?:回答|作答|解答)",
    re.IGNORECASE,
)
# Tasks of templates that ask for something other than the answer to the person's question.
_OTHER_TASK = re.compile(
    r"\bstand-?alone\b|\b(?:re-?phrase|re-?formulate|rewrite|decompose|paraphrase)\b|\bgrad(?:e"
    r"|ing)\b"
    r"|\bscor(?:e|ing)\b|\b(?:assess|evaluat|judg|compar)(?:e|es|ing|ed)?\b|\byes ?(?:/|or) ?no\b"
    r"|\breturn (?:yes|any relevant|a list|the (?:number|index))|\brelevant (?:parts"
    r"|text\b.{0,10}:)"
    r"|\bextract\b|\bclassif|\bsearch quer|\bkey-?words?\b|\bsub-?questions?\b|\bto which the\b"
    r"|\bhypothetical\b"
    r"|\b(?:generate|write|create|come up with|ask)\b[^.\n]{0,40}\b(?:questions?|quer(?:y|ies))\b"
    r"|改写|重写|评分|打分|提取|分类|关键词|独立的?问题|生成[^。\n]{0,12}(?:问题|查询)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Parts:
    """A message taken apart.

    `own` is the text outside all shown blocks. `frame` is the same, with a mark in place of each
    block. `asked` is the person's question in a template with retrieved text, "" if there is none.
    `handed` is the part of `own` that the person pasted and may not have written.
    """

    own: str
    frame: str
    asked: str
    has_document: bool
    has_transcript: bool
    handed: str


def own_words(text: str) -> str:
    """Return the words of a message that its sender wrote."""
    parts = parts_of(text)
    return parts.asked or parts.own


def handed_over(text: str) -> str:
    """Return the part of a message's own words that someone else may have written, "" if none."""
    return parts_of(text).handed


def parts_of(text: str) -> Parts:
    """Split a message into the person's own words and the text around them."""
    text = bounded(text.replace("\r\n", "\n"))
    frame, shown_blocks = _without_blocks(_ASKED_TAG.sub("\n…\n", text))
    frame, dialogue = _without_transcript(frame)
    frame, pasted = without_pasted(frame)
    asked = _asked(text)
    handed = None if asked else handed_in(frame)
    is_shown = handed is not None and handed.whose is Whose.OTHERS
    maybe_own = frame[handed.start : handed.end].strip() if handed and not is_shown else ""
    if handed is not None and is_shown:
        frame = f"{frame[: handed.start]}\n…\n{frame[handed.end :]}"
    own = re.sub(r"\n{3,}", "\n\n", frame.replace("…\n", "").replace("\n…", "\n")).strip()
    shown = bool(shown_blocks or pasted or is_shown) and not asked
    return Parts(own, frame, asked, shown, dialogue, maybe_own)


def bounded(text: str) -> str:
    """Return the beginning and the end of a long text."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - ENDING]}\n{text[-ENDING:]}"


def _without_blocks(text: str) -> tuple[str, bool]:
    """Return the text without marked parts, and whether there was one. Removes long parts between
    tags first, because `_BLOCKS` only looks for the end of a part near its opening tag.
    """
    frame, tagged = _without_tagged(text)
    frame, blocks = _BLOCKS.subn("\n…\n", frame)
    return frame, tagged or blocks > 0


def _without_tagged(text: str) -> tuple[str, bool]:
    """Return the text without long parts between a pair of tags, and whether there was one.

    One pass: a text full of open tags would otherwise be searched to its end from each of them.
    """
    kept, end, opened = "", 0, dict[str, int]()
    for tag in _TAG.finditer(text):
        if not tag["close"]:
            opened.setdefault(tag["name"], tag.start())
            continue
        start = opened.pop(tag["name"], -1)
        is_long = tag.end() - start > _LONG or "\n" in text[start : tag.end()]
        if start >= end and is_long:
            kept, end = f"{kept}{text[end:start]}\n…\n", tag.end()
            opened.clear()
    return kept + text[end:], end > 0


def _asked(text: str) -> str:
    """Return the question in a template with retrieved text; "" if the text is no such template."""
    found = list(_ASKED_TAG.finditer(text))
    if found and _RETRIEVED.search(text) and not _OTHER_TASK.search(_without_blocks(text)[0]):
        return "\n".join(tag["said"].strip() for tag in found)
    labels = list(_ASKED_LABEL.finditer(text)) or list(_ASKED_INLINE.finditer(text))
    if not labels:
        return ""
    label = labels[-1]
    around = text[: label.start()] + text[label.end() :].partition("\n")[2]
    if not (_RETRIEVED.search(around) and _TO_ANSWER.search(around)):
        return ""
    if _OTHER_TASK.search(_without_blocks(around)[0]):
        return ""
    rest = text[label.end() :]
    end = _NEXT_LABEL.search(rest)
    if end and _ANSWERED.match(rest, end.start()):
        return ""  # an example of the template
    return (rest[: end.start()] if end else rest).strip(' \n*`"]')


def _without_transcript(text: str) -> tuple[str, bool]:
    """Return the text without a conversation of several speakers, and whether there was one."""
    lines = list(_SPEAKER.finditer(text))
    who = Counter(line["who"].casefold() for line in lines)
    by_role = sum(bool(_ROLE.fullmatch(name)) for name in who.elements())
    repeated = len(who) >= 2 and len(lines) >= 4 and sum(n >= 2 for n in who.values()) >= 2
    if by_role < 2 and not repeated and not _answers_each_other(lines):
        return text, False
    if by_role >= 2:
        lines = [line for line in lines if _ROLE.fullmatch(line["who"])]
    start, last = lines[0].start(), lines[-1].end()
    # After a pasted conversation, the sender continues on the next line.
    end = text.find("\n" if "me" in who else "\n\n", last)
    return text[:start] + "\n…\n" + (text[end:] if end >= 0 else ""), True


def _answers_each_other(lines: Sequence[re.Match[str]]) -> bool:
    """Return whether a speaker speaks again after another one."""
    names = [line["who"].casefold() for line in lines]
    triples = zip(names, names[1:], names[2:], strict=False)
    return any(first == third != second for first, second, third in triples)
