"""Recognises pasted text by its own form: mails, posts, reviews, logs, songs, pages."""

import re

from assessor.gate.handed import SELF
from assessor.gate.wording import chinese, choice

_FLAGS = re.IGNORECASE | re.MULTILINE
# From this line on, a message is someone else's mail.
_MAIL = re.compile(
    rf"^[ \t]*(?:(?:{choice('mail_begins')})\b[^\n]{{8,160}}"
    rf"\b(?:{choice('mail_wrote')})\b[^\n:]{{0,80}}[ \t]*:|在?[^\n]{{0,80}}写道[:：]"
    rf"|-{{2,12}}[ \t]*(?:{choice('forwarded')}|{chinese('forwarded')})\b[^\n]{{0,40}}"
    r"|begin forwarded message:)",
    _FLAGS,
)
_HEADERS = re.compile(
    rf"(?:^[ \t]*\**(?:{choice('mail_header')}|{chinese('mail_header')})\**[ \t]?[:：]"
    r"[^\n]{0,200}\n){2,8}",
    _FLAGS,
)
# A letter: its greeting by name, and its regards with a name below.
_GREETING = re.compile(
    rf"^[ \t]*(?:(?:{choice('greeting')})[ \t]+(?!(?:{choice('greets_nobody')})\b)"
    r"[^\n,!]{2,40}[,!:]?|(?:尊敬的|亲爱的)[^\n]{1,20}[:：，,])[ \t]*$",
    _FLAGS,
)
_REGARDS = re.compile(
    rf"^[ \t]*(?:{choice('regards')}|{chinese('regards')})[,.!]?[ \t]*\n"
    r"[ \t]*\S[^\n]{0,60}\s*",
    _FLAGS,
)
# Lines that only web pages and programs contain. The text around them comes from the same source.
_PRINTED = re.compile(
    r"^[ \t]*(?:"
    r"(?:posted|submitted|asked|answered|edited|published|written) (?:by|on|in)\b[^\n]{1,60}"
    r"|(?:u|r)/\w{3,20}\b[^\n]{0,60}|@\w{2,20} ?[·•|-][^\n]{0,40}"
    r"|(?:aita|aitah|wibta|tifu)\b[^\n]{0,400}|tl;?dr[:：][^\n]{0,400}"
    r"|[★☆⭐]{2,5}[^\n]{0,400}|\d(?:[.,]\d)? ?(?:/ ?5|out of 5|von 5|sur 5)\b[^\n]{0,80}"
    r"|(?:verified|verifizierter) (?:purchase|kauf)\b[^\n]{0,60}|reviewed in\b[^\n]{0,80}"
    r"|\d{1,6} (?:likes?|upvotes?|points?|comments?|replies|shares"
    r"|people found this helpful)\b[^\n]{0,60}"
    r"|\[(?:verse|chorus|bridge|intro|outro|pre-chorus|refrain|strophe)\b[^\]\n]{0,20}\]"
    r"|(?:verse|chorus|refrain|strophe)(?: \d)?[:：]?"
    r"|(?:ticket|issue|bug|case) #\d{1,8}[^\n]{0,40}"
    r"|#\d{1,5} ?[·•|-][^\n]{0,60}"
    r")[ \t]*$",
    _FLAGS,
)
# Two such lines are a log, subtitles, or a chat with its times.
_TIMED = re.compile(
    r"^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d\d"
    r"|\[\d{1,2}:\d\d|\(?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?\)?[ \t]+(?:-->|\w[^\n]{0,40}[:：]"
    r"|[a-z])"
    r"|(?:\w{3} [ \d]\d \d\d:\d\d:\d\d)|\[?(?-i:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\b)"
    r"[^\n]{0,600}$",
    _FLAGS,
)
_TAG = re.compile(
    r"</?(?:p|div|span|li|ul|ol|h[1-6]|table|tr|td|article|section|br|a|strong|em|body|html|head"
    r"|title|meta|blockquote|main|header|footer|nav|img|figure)\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_MOST_TAGS_APART = 2_000
_QUOTED_PARAGRAPH = re.compile(
    r"^[ \t]*(?:\"[^\"\n]{30,4000}\"|“[^“”\n]{12,4000}”|„[^„“”\n]{30,4000}[“”]|«[^«»\n]{30,4000}»"
    r"|「[^「」\n]{12,4000}」)[ \t]*(?:[-–—][^\n]{0,60})?$",
    re.MULTILINE,
)
# A quotation in a sentence, in the first person.
_QUOTATION = re.compile(
    r"\"[^\"\n]{0,2000}\"|“[^“”\n]{0,2000}”|„[^„“”\n]{0,2000}[“”]|«[^«»\n]{0,2000}»"
    r"|「[^「」\n]{0,2000}」"
)
_SHORTEST = 12  # characters
# The sender's own words or text: 'I told him "…"', 'my bio: "…"'.
_SAID_BY_SENDER = re.compile(
    rf"(?:\b(?:{choice('speaker')})\b|{chinese('speaker')})[^.!?。！？\n]{{0,30}}\Z"
    rf"|\b(?:{choice('possessor')})(?: \w{{1,20}})? (?:{choice('quoted_kind')})\b"
    r"[^.!?\n]{0,30}\Z",
    re.IGNORECASE,
)
_BEFORE = 60  # characters
_SHOWN = "\n…\n"
_LONGEST_QUESTION = 200  # characters


def without_pasted(text: str) -> tuple[str, bool]:
    """Return the text with a mark in place of each pasted part, and whether there was one."""
    kept = _QUOTED_PARAGRAPH.sub(_SHOWN, text)
    kept = _without_quotations(kept)
    kept = _without_mail(kept)
    kept = _without_letter(kept)
    kept = _without_timed(kept)
    kept = _without_markup(kept)
    kept = _without_printed(kept)
    return kept, kept != text


def _without_quotations(text: str) -> str:
    def cut(found: re.Match[str]) -> str:
        before = text[max(0, found.start() - _BEFORE) : found.start()]
        is_others = (
            len(found[0]) >= _SHORTEST
            and SELF.search(found[0])
            and not _SAID_BY_SENDER.search(before)
        )
        return _SHOWN if is_others else found[0]

    return _QUOTATION.sub(cut, text)


def _without_mail(text: str) -> str:
    found = _MAIL.search(text) or _HEADERS.search(text)
    return text[: found.start()] + _after(text[found.start() :]) if found else text


def _after(shown: str) -> str:
    """Return a mark, followed by the last paragraph of a pasted text if it is the sender's
    question.
    """
    start = shown.rstrip().rfind("\n\n")
    last = shown[start:].strip() if start >= 0 else ""
    first_line = last[:_LONGEST_QUESTION].partition("\n")[0]
    return _SHOWN + (last if re.search(r"[?？]", first_line) else "")


def _without_letter(text: str) -> str:
    greeting = _GREETING.search(text)
    regards = _REGARDS.search(text, greeting.end()) if greeting else None
    if not (greeting and regards):
        return text
    return text[: greeting.start()] + _SHOWN + text[regards.end() :]


def _without_timed(text: str) -> str:
    lines = list(_TIMED.finditer(text))
    if len(lines) < 2:
        return text
    return text[: lines[0].start()] + _SHOWN + text[lines[-1].end() :]


def _without_markup(text: str) -> str:
    """Remove the text from the first to the last tag of a web page with several tags."""
    tags = list(_TAG.finditer(text))
    if len(tags) < 3:
        return text
    return text[: tags[0].start()] + _SHOWN + text[tags[-1].end() :]


def _without_printed(text: str) -> str:
    """Remove the paragraph of such a line and the following ones, up to the sender's question."""
    found = _PRINTED.search(text)
    if found is None:
        return text
    start = text.rfind("\n\n", 0, found.start())
    begin = found.start() if start < 0 else start
    return text[:begin] + _after(text[begin:])
