"""Short answers to simple questions, built from one memory.

For “where do I live?”, the memory “moved to Lisbon” gives “You live in Lisbon.”

Takes only the requested place or name from the memory, and only if the memory clearly states it.
"""

import re

from chat.responders.utterances import asked_back, is_chinese

# A name of up to four capitalised words. "the 3rd floor" and "March" are not places.
_PLACE = re.compile(
    r"\b(in|to|at|from) ((?!(?:January|February|March|April|May|June|July|August|September"
    r"|October|November|December|\w+day)\b)[A-Z][\w'’-]*(?: (?:de |of )?[A-Z][\w'’-]*){0,3})"
)
_NAME = re.compile(
    r"\b(?:called|named|name is|name's|is) ([A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,2})(?![\w'’-])"
)
# "My partner is Turkish" does not name the partner.
_NATIONALITY = re.compile(r"\A\w{0,20}(?:ese|ish|an|ch|ic|i|sh)\Z", re.IGNORECASE)
_PLACE_ZH = re.compile(
    r"(?:住在|搬到了?|搬去了?|来自|定居在?)([\u4e00-\u9fff]{2,4}?)(?=$|[，。,.的市（(])"
)
_WHERE_LIVE = re.compile(
    r"^(?:where (?:do|am) i (?:now )?(?:live|living|based)\b[^?]{0,12}"
    r"|(?:which|what) (?:city|town) do i live in)\??$",
    re.I,
)
_WHERE_FROM = re.compile(r"^where (?:am|do) i (?:come )?from\??$", re.I)
_WHAT_NAME = re.compile(
    r"^what(?: is|'s|’s|s) (?:my (\w+)(?:'s|’s) name|the name of my (\w+))\??$"
    r"|^what (?:is|are) my (\w+) called\??$",
    re.I,
)
# The user's own: "moved to Lisbon", "I have lived", but not "my sister lives" or "Ana lives".
_SPEAKER = (
    r"(?:^|[.;!?]\s+|\b(?:i|we|user)\b(?!['’]s)"
    r"(?:(?!\b(?:he|she|they|my|our|who|whose|that|where)\b)[^.;!?]){0,60}?)"
)
_MOVED = re.compile(rf"{_SPEAKER}\b(?:live[sd]?|living|moved|based|settled|relocated)\b", re.I)
_ORIGIN = re.compile(rf"{_SPEAKER}\b(?:from|born|grew up|raised)\b", re.I)


def direct_answer(question: str, memory: str) -> str:
    """Return the answer that the memory gives, or "" if it does not clearly give one."""
    asked = " ".join(question.split())
    if is_chinese(asked):
        return _chinese(asked, memory)
    if _WHERE_LIVE.match(asked) and _MOVED.search(memory):
        # The last place: "moved from Porto to Lisbon".
        places = [found.group(2) for found in _PLACE.finditer(memory) if found.group(1) != "from"]
        return f"You live in {places[-1]}." if places else ""
    if _WHERE_FROM.match(asked) and _ORIGIN.search(memory):
        place = _PLACE.search(memory)
        return f"You are from {place.group(2)}." if place else ""
    return _named(asked, memory)


def _named(asked: str, memory: str) -> str:
    if not (wanted := _WHAT_NAME.match(asked)):
        return ""
    thing = next(group for group in wanted.groups() if group).lower()
    # Not "Ana's partner".
    own = rf"(?:(?<!['’]s )|\buser['’]s )\b{re.escape(thing)}\b"
    if not re.search(own, memory, re.I):
        return ""
    name = re.search(rf"(?:{own}),? ((?-i:[A-Z])[\w’-]*)", memory, re.I) or _NAME.search(memory)
    if not name or _NATIONALITY.match(name.group(1)):
        return ""
    return f"Your {thing}'s name is {name.group(1)}."


def _chinese(asked: str, memory: str) -> str:
    place = _PLACE_ZH.search(memory)
    turned = asked_back(asked)
    if not place or not re.fullmatch(r"你(?:现在)?住在?(?:哪里|哪儿|哪个城市)？", turned):
        return ""
    return f"你住在{place.group(1)}。"
