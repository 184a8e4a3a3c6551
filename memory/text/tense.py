"""The direction of a date without a year: in the future of the statement, or in its past.

event_dates.py calls this for each date. In English, the last verb before the date decides, or
otherwise the first verb after it: with a past tense the date is in the past, without one in the
future. Chinese verbs have no tense; particles such as 了 and 过, and words such as 要 and 打算,
decide.
"""

import re

_SENTENCE_ENDS = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMrs)[.!?;](?=\s|$)|\n|[。！？；]")
READ = ("en", "zh")
"""The languages whose tenses are read."""
_NEAR = 200
"""Characters before and after a date that are read."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")

# Words before the date or at its beginning. "Tickets for 2 March" and "moved to 2 March" are in the
# future.
_BEHIND_WORD = re.compile(r"(?:since|last|this past)\b", re.IGNORECASE)
_AHEAD_WORD = re.compile(r"(?:next|for|to|by)\b", re.IGNORECASE)
_LAST_WORD = re.compile(r"\b(?:this past|\w+)(?: the)?\s*$")

_IRREGULAR = (
    "was|were|did|had|(?:was|were|did|had|could)n['’]t|became|been|began|begun|bit|blew|born"
    "|bought|broke|broken|brought|built|burnt|came|caught|chose|chosen|dealt|done|drank|drawn"
    "|dreamt|drew|driven|drove|dug|eaten|ate|fallen|fed|fell|felt|fled|flew|flown|forgot|forgotten"
    "|fought|found|froze|frozen|gave|given|gone|got|gotten|grew|grown|heard|held|hid|hung|kept"
    "|knew|known|laid|learnt|led|left|lent|lit|lost|made|meant|met|paid|ran|rang|rode|sang|sat|saw"
    "|seen|sent|shook|shot|slept|sold|spent|spoke|spoken|stole|stolen|stood|stuck|swam|swept|swore"
    "|sworn|taken|taught|thought|threw|thrown|told|took|tore|torn|understood|went|woke|won|wore"
    "|worn|written|wrote|said|agreed|freed"
)
_SAME_IN_PAST = "beat|cut|hit|hurt|put|quit|read|split"
_NO_VERBS = (
    r"hundred|sacred|naked|indeed|united|(?:al|man)?fred|ahmed|moham+ed|bed|red|wed|shed|ted"
)
# The participle in "is closed" is not a past tense, nor is the verb in "will read".
_VERB = re.compile(
    r"\b(?=\w)(?:(?:will|shall|should|would|must|can|don['’]t|doesn['’]t)(?: be)?(?: \w+)?|going to"
    r"|plans?|planning|intends?|scheduled|booked|reserved|planned|due(?! to)"
    r"|(?:tickets?|invited|invitation|reservation|appointment) (?:for|to)"
    r"|(?:promised|agreed|decided|offered) to|starts|begins|opens|closes|ends|leaves|flies|lands"
    r"|arrives|departs|returns|takes place|comes|goes|meets|gets|turns"
    r"|(?:I|we|they|you) (?:fly|leave|start|go|move|meet|travel)"
    r"|(?:has|have) got (?:an?|the|my|our|to)"
    r"|(?:am|is|are)(?:n['’]t)?(?: not| being| still| also| now)*(?: \w+)?)\b"
    r"|['’](?:ll(?: be)?(?: \w+)?|ve got (?:an?|the|my|our|to)"
    r"|(?:m|re)(?: not| being| still| also| now)*(?: \w+)?"
    r"|s (?:\w+ing|on|in|at|from|due|back|away))\b"
    r"|(?P<past>(?:\b(?:has|have)|['’]ve) (?:just |already )?(?:come|become|run)\b"
    # "The rescheduled exam", "my broken leg" and "getting married" do not have a past tense.
    r"|\b(?=\w{3})(?<!\ba )(?<!\ban )(?<!\bthe )(?<!\bmy )(?<!\bour )(?<!\bto )(?<!\bbe )"
    r"(?<!\bget )(?<!\bgets )(?<!\bgetting )"
    rf"(?!(?:{_NO_VERBS})\b)(?:{_IRREGULAR}|{_SAME_IN_PAST}|\w+(?<!e)ed)\b)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r", (?:who|which|whose)\b[^,]*,")

_ZH_AHEAD = (
    r"将|要|(?<![开聚宴])会(?![议计员])|打算|计划|准备|预计|预[约订定]|定[在于]|截止|到期"
    r"|[推迟改延期挪]到"
)
_ZH_SAYS_AHEAD = re.compile(_ZH_AHEAD)
_ZH_SAYS = re.compile(
    rf"(?P<past>(?<!为)了(?!解)|过(?![敏年生节期冬夏春户境])|曾|已|刚|去世|出生|以来|一直|住)"
    rf"|{_ZH_AHEAD}"
)
# "是三月换的工作" says what happened, "是三月三号早上的" does not.
_ZH_HAPPENED = re.compile(r"是在?\s*\|\s*(?![早上下晚中的])\w{1,5}的")
_ZH_IS_AT = re.compile(r"[在是于到]\s*\|\s*份?(?:[，,]|$)")
_ZH_SINCE = re.compile(r"[从自]\s*\|")


def lies_ahead(text: str, start: int, end: int) -> bool:
    """Return true if the date in text[start:end] is after the moment the text was said."""
    before = _SENTENCE_ENDS.split(text[max(start - _NEAR, 0) : start])[-1]
    after = _SENTENCE_ENDS.split(text[end : end + _NEAR])[0]
    if _CHINESE.search(text, start, end):
        return _lies_ahead_in_chinese(before, after, is_day=text[end - 1] != "月")
    word = _LAST_WORD.search(before)
    for words in (text[start:end], word.group() if word else ""):
        if _BEHIND_WORD.match(words):
            return False
        if _AHEAD_WORD.match(words):
            return True
    verbs = list(_VERB.finditer(_ASIDE.sub(" ", before)))
    verb = verbs[-1] if verbs else _VERB.search(_ASIDE.sub(" ", after + ","))
    return verb is None or verb["past"] is None


def _lies_ahead_in_chinese(before: str, after: str, *, is_day: bool) -> bool:
    """Decide by the clause before the date, then by the first word after it. Without deciding
    words, a day is in the future. A month is in the past, unless the clause ends with it, as in
    "婚礼在六月".
    """
    around = f"{re.split('[，,]', before)[-1]}|{after}"
    if _ZH_SAYS_AHEAD.search(around.partition("|")[0]):
        return True
    if _ZH_HAPPENED.search(around):
        return False
    if says := _ZH_SAYS.search(after):
        return says["past"] is None
    return (is_day and not _ZH_SINCE.search(around)) or bool(_ZH_IS_AT.search(around))
