"""Finds the origin of words in an exchange.

Only text that the user typed counts as the user's wish. A mail, page or file that the user shows,
and the assistant's reply, are other people's words, even if they address the assistant.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assessor.assessing import Exchange
from assessor.screening.words import words_of
from reader.sentences import split_sentences


class Origin(StrEnum):
    """The origin of words."""

    USER = "the user's message"
    SHOWN = "text the user showed"
    ASSISTANT = "the assistant's reply"
    CONTEXT = "the context"
    SUMMARY = "the summary"
    DECODED = "encoded text"


@dataclass(frozen=True)
class Part:
    """Words of one origin."""

    text: str
    origin: Origin


_DOCUMENT = (
    r"(?:web ?)?pages?|websites?|articles?|e?-?mails?|messages?|letters?|notes?|documents?|texts?"
    r"|files?|read ?me|attachments?|contracts?|cvs?|r[ée]sum[ée]s?|posts?|tweets?|reviews?|reports?"
    r"|transcripts?|paragraphs?|recipes?|adverts?|book|manual|web"
)
_READING = r"summari[sz]e|translate|proofread|explain|review|rewrite|read|check|look at|analy[sz]e"
_LEAD = re.compile(
    rf"\b(?:{_READING})\b[^\n:.]{{0,60}}:"
    r"|\b(?:this|the|following|that|an?|my|our)\b(?=[^\n:.]{1,99}:)"
    rf"[^\n:.]{{0,40}}\b(?:{_DOCUMENT})\b[^\n:.]{{0,40}}:"
    r"|\b(?:wrote|texted|received|pasted|sent me)\b[^\n:.]{0,40}:"
    r"|(?:总结|概括|翻译|看看|看一下|解释|检查|分析|回复|以下|下面|这段|这封|这篇|这个网页|收到)[^\n：:。]{0,20}[：:]"
    r"|^(?:(?:from|to|cc|subject|sent|date)|发件人|收件人|主题)[:：].{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
# Shown text between marks. Each pattern matches the text with its marks.
_RULE = r"^[ \t]*(?:-{3,}|\*{3,}|={3,}|\"{3})[^\n]*$"
_SHOWN = re.compile(
    r"```.*?(?:```|\Z)"
    r"|(?:^[ \t]*>[^\n]*\n?)+"
    rf"|{_RULE}.*?(?:{_RULE}|\Z)"
    r"|<(?P<tag>document|html|body|article|webpage|page|email|file|text|quote)\b[^<>]{0,500}>"
    r".*?(?:</(?P=tag)>|\Z)"
    r"|<!--.*?(?:-->|\Z)"
    r"|\[(?:web ?page|document|e-?mail|article|file|网页|文档|邮件)\].*",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_QUOTED = re.compile(
    r"\"[^\"\n]{12,}\"|“[^“”]{6,}”|「[^「」]{6,}」|『[^『』]{6,}』|(?<!\w)'[^\n]{12,300}?'(?!\w)"
    r"|‘[^‘’\n]{12,}’|`[^`\n]{6,}`|\[[^\[\]\n]{20,}\]"
)
# Words of a discussion about attacks, which quotes them.
_TALKS_OF_ATTACKS = re.compile(
    r"\b(?:prompt[- ]?injections?|injections?|jail-?breaks?|attack(?:s|ers?|ing)?|phish\w*|scam\w*"
    r"|malicious|protect\w*|defend\w*|security|red[- ]team\w*)\b|注入|攻击|越狱|钓鱼|诈骗|安全",
    re.IGNORECASE,
)


def parts_of(exchange: Exchange) -> list[Part]:
    """Split the exchange into non-empty parts of one origin each.

    Quotes in a discussion about attacks are left out, because the user does not mean them.
    """
    origin = Origin.USER if exchange.source_role.casefold() == "user" else Origin.SHOWN
    parts = [
        *(_of_the_user(exchange.user_message) if origin is Origin.USER else ()),
        *([Part(exchange.user_message, origin)] if origin is Origin.SHOWN else ()),
        Part(exchange.assistant_response, Origin.ASSISTANT),
        *(Part(text, Origin.CONTEXT) for text in texts_of(exchange.context)),
    ]
    return [part for part in parts if part.text.strip()]


def own_words(exchange: Exchange) -> str:
    """Return the text that the user wrote themselves."""
    return "\n".join(part.text for part in parts_of(exchange) if part.origin is Origin.USER)


def anything_said(exchange: Exchange) -> bool:
    """Return whether any text of the user's is left to assess."""
    return bool(exchange.user_message.strip())


def stated_by_user(content: str, exchange: Exchange) -> bool:
    """Return whether the content shares words with the user's statements; questions do
    not count.
    """
    sentences = split_sentences(own_words(exchange))
    stated = " ".join(sentence for sentence in sentences if not sentence.endswith(("?", "？")))
    return bool(words_of(content) & words_of(stated))


def evidence(summary: str, exchange: Exchange) -> str:
    """Return the user's sentence that shares the most words with the summary; "" if none shares
    any.
    """
    words = words_of(summary)
    sentences = split_sentences(exchange.user_message)
    best = max(sentences, key=lambda sentence: len(words_of(sentence) & words), default="")
    return best if words_of(best) & words else ""


def _of_the_user(message: str) -> Iterator[Part]:
    own, shown = _split(message, _SHOWN)
    lead = _LEAD.search(own)
    if lead is not None:
        # Text after "Here is the mail:" is the mail; its end is unknown.
        shown.append(
            own[lead.end() :] if lead.group().endswith((":", "：")) else own[lead.start() :]
        )
        own = own[: lead.end()]
    for paragraph in re.split(r"\n\s*\n", own):
        said, quoted = _split(paragraph, _QUOTED)
        yield Part(said, Origin.USER)
        if not _TALKS_OF_ATTACKS.search(said):
            shown += quoted
    yield from (Part(text, Origin.SHOWN) for text in shown)


def _split(text: str, pattern: re.Pattern[str]) -> tuple[str, list[str]]:
    """Return the text without the matches, and the matches."""
    return pattern.sub(" … ", text), [match.group() for match in pattern.finditer(text)]


def texts_of(value: Any) -> Iterator[str]:
    """Yield the texts in JSON at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_of(item)
