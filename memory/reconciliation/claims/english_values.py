"""Values that an English statement gives to topics with one value at a time.

The words are in english.toml.
"""

import re
from collections.abc import Iterator

from memory.reconciliation.claims.base import Claim, any_of, topic
from memory.reconciliation.claims.english_text import LIGHT_VERBS, W, content, subject_before
from memory.text.text_similarity import words

# "my friend is 30": people have several, and the next one may be 40.
_SEVERAL = any_of([f"{word} (?:is|are)" for word in W["several"]])
_WIDE = frozenset(W["wide_places"].split())
_NAME = r"(?-i:(?:the )?(?P<value>[A-Z][\w'&-]*(?: (?:[A-Z][\w'&-]*|\d+)){0,3}))"
# "works at Nokia", "lives in Porto": the value of a slot, by the words before a name.
_SLOTS = {
    slot: re.compile(rf"\b(?:{'|'.join(patterns)}) {_NAME}", re.I)
    for slot, patterns in W["slots"].items()
}
_STREET = re.compile(r"\b(?:street|road|avenue|lane|st|rd|ave)$", re.I)
# "works as a nurse"
_POSITION = re.compile(rf"\b(?:{'|'.join(W['positions'])}) (?P<value>[\w -]+)", re.I)
# Things of which people use one for each purpose: "uses Vim", "drives a Golf".
_FAMILIES = {name: any_of(members) for name, members in W["families"].items()}
_CHANGE = any_of(W["changes"])
_INSTEAD = re.compile(r"\b(?:instead of|rather than) .*", re.I)
_OWNED = (
    r"^(?P<owner>(?:my|\w+'s)(?: \w+'s)*) (?:new |current )?(?P<what>{what})"
    r" (?:is|are|changed to|has changed to)(?: now| currently)?(?: called| named)? {value}"
)
_ANY_NAME = r"(?:an? |the )?(?-i:(?P<value>(?:iPhone|[A-Z0-9][\w'-]*)(?: [A-Z0-9][\w'-]*)*))"
# "my rent is now 900 euros"
_ATTRIBUTE = re.compile(_OWNED.format(what="|".join(W["attributes"]), value="(?P<value>.+)$"), re.I)
# "my dentist is Dr Silva", "Ana's dog is called Bruno"
_NAMED = re.compile(_OWNED.format(what="|".join(W["holders"]), value=_ANY_NAME), re.I)
# Anything else that is, or is called, a name. Only "now" shows that the older name is outdated.
_OTHER_NAMED = re.compile(
    r"^(?P<owner>my|\w+'s) (?P<what>\w+(?: \w+)?) (?:is|are)(?: now)?(?P<called> called| named)?"
    rf" {_ANY_NAME}(?: now)?$",
    re.I,
)
_NOW = re.compile(r"\bnow\b", re.I)
_SPELLINGS = (("favorite", "favourite"), ("email address", "email"), ("home address", "address"))
# Words of change, which do not belong to the subject: "my new phone is a Pixel".
_CHANGING = frozenset(
    words(
        "new main phone mobile laptop computer browser editor switched changed migrated uses"
        " replaced upgraded"
    )
)
# "keeps the spare key under the mat"
_KEPT = re.compile(
    r"\b(?:keeps?|stores?|parks?|puts?) (?P<what>(?:my|the|his|her|their) [\w ]{1,40}?)"
    r" (?:in|at|on|under|behind) (?P<value>[\w ]+)",
    re.I,
)
# "drives a Golf to work", "teaches maths at the school"
_ONE_AT_A_TIME = re.compile(rf"\b(?P<verb>{'|'.join(W['one_at_a_time'])}) (?P<what>\w.*)", re.I)
# "goes to the Lima Primary School"
_SCHOOL = re.compile(
    rf"\b(?:{'|'.join(W['schooling'])}) (?:the )?(?-i:(?P<value>[A-Z][\w'.-]*(?: [A-Z][\w'.-]*)*"
    r" (?:School|Primary|Elementary|College|Academy|University|High|Institute|Kindergarten)))",
    re.I,
)
# "takes my coffee without sugar"
_LIKED_SO = re.compile(
    r"\b(?:likes?|takes?|drinks?|eats?|has|have|prefers?) (?P<what>(?:my|his|her|their) \w+)"
    r" (?P<value>(?:with |without )?\w+(?: \w+)?)$",
    re.I,
)
# "prefers window seats on planes"
_PREFERRED = re.compile(
    r"\bprefers? (?P<kind>[\w-]+) (?P<rest>(?!to\b|over\b|rather\b|instead\b|that\b)\w+.*)", re.I
)
# "I cycle to work"
_WAY = re.compile(
    r"^(?:i|user) (?!go(?:es)? |gets? |comes? )(?P<value>\w+(?: \w+){0,3}) (?:in)?to"
    r" (?P<where>work|school|uni|the office)\b",
    re.I,
)
# "the door is now blue"
_COLOUR = re.compile(rf"\b(?:is|are)(?: now)? (?P<value>{W['colours']})$", re.I)
# "my account is with Monzo"
_IS_WITH = re.compile(rf"^my (?P<what>\w+) (?:is|are) (?:now )?(?:with|at) {_NAME}$", re.I)
# "I switched my account to Monzo"
_MOVED_TO = re.compile(
    r"^(?:i|user) (?:have |has )?(?:moved|switched|transferred|changed) my (?P<what>\w+)"
    rf" (?:over )?to {_NAME}$",
    re.I,
)
# "has never been to Japan", "went to Japan"
_BEEN = re.compile(
    r"\b(?:(?P<never>(?:have |has )?never (?:been to|visited)"
    r"|(?:have|has) not (?:been to|visited))|visited|(?:have|has) been to"
    rf"|went to) {_NAME}",
    re.I,
)
# "call me Al"
_CALL_ME = re.compile(
    r"(?:\bcall me|\b(?:prefers?|likes?|wants?) to be called|^(?:i|user) goe?s? by) "
    r"(?-i:(?P<value>[A-Z][\w'-]*))",
    re.I,
)
_NUMBER = re.compile(
    r"\b\d[\d.,:-]*(?:st|nd|rd|th)?\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|noon|midnight|am(?<=\d am)|pm"
    r"|weekly|fortnightly|monthly|quarterly"
    rf"|(?:{W['ordinals']})(?= (?:floor|grade|year|semester|month|place|draft|edition)\b)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter)\b",
    re.I,
)
# "the meeting has been moved to Friday" is read as "the meeting is Friday".
_RESCHEDULED = re.compile(
    r"\b(?:is|are|was|has been|have been|got)?(?: now)? ?(?:moved|postponed|rescheduled|changed"
    r"|brought forward|pushed(?: back)?|delayed) to\b",
    re.I,
)
# Names one of several: "the meeting on Monday is", "on Mondays".
_ITS_DAY = re.compile(r"\bon \w+days?(?= (?:is|starts|begins|ends)\b)|\bon \w+days\b", re.I)
_OWN_EVENT = re.compile(r"^(?:i|user) (?:have|has|holds?) (?:my|the|their|his|her) ", re.I)
_AGE = re.compile(r"\byears? old\b|(?<=^user is )(?=\d+$)|(?<=^i am )(?=\d+$)", re.I)
# "I have cut down to two coffees a day"
_CUT_DOWN = re.compile(
    r"\b(?:have |has )?(?:(?:cut|gone|went) (?:down|back|up)|increased|reduced) to\b",
    re.I,
)
# "they raised my rent from 800 to 900"
_RAISED = re.compile(
    r"^.*\b(?:raised|increased|reduced|lowered|cut|upped|doubled|halved) (?:my|the|user's)"
    r" (\w+(?: \w+)?)(?: from .+?)? to ",
    re.I,
)
_RATE = re.compile(r"\b(?:a|per|each|every) (?:day|night|week|month|year)\b", re.I)
_COUNTED = re.compile(r"\b(?:has|have) (?=\w)", re.I)
# One of several things of a kind, known by its number: "ticket 12 is open", "my room 4 is free".
_NUMBERED = re.compile(
    r"\A(?:(?:the|my|our|user's)\s+)?[a-z]+\s+(?:no\.?\s*|#)?\d[\d.]*\s+(?:is|are|has|opens|closes)\b",
    re.IGNORECASE,
)
_NUMBER_VERBS = any_of(W["number_verbs"])


def values(piece: str) -> Iterator[Claim]:
    """Return the values that a piece about the present gives."""
    for read in (_slots, _choices, _owned, _numbers, _kept, _one_at_a_time, _preferred, _ways):
        yield from read(piece)


def always(piece: str) -> Iterator[Claim]:
    """Return the values that are true whatever time the piece is about."""
    for read in (_called, _been, _coloured):
        yield from read(piece)


def _slots(piece: str) -> Iterator[Claim]:
    for slot, pattern in _SLOTS.items():
        if match := pattern.search(piece):
            name, subject = match["value"], subject_before(piece[: match.start()])
            street = _STREET.search(name)
            wide = "wide" if name.casefold() in _WIDE else "street" if street else ""
            yield Claim(topic(slot, subject, wide), frozenset(words(name)))
    if match := _POSITION.search(piece):
        subject = subject_before(piece[: match.start()])
        yield Claim(topic("position", subject), content(match["value"]))


def _choices(piece: str) -> Iterator[Claim]:
    """Return which of the things for one purpose the user has: a phone, an editor."""
    # Someone who works at Nokia may have any phone.
    firm, piece = bool(_CHANGE.search(piece)), _SLOTS["employer"].sub("", _INSTEAD.sub("", piece))
    for family, members in _FAMILIES.items():
        if found := [*members.finditer(piece)]:
            subject = subject_before(piece[: found[0].start()]) - _CHANGING
            yield Claim(topic(family, subject), frozenset(words(found[-1][0])), firm)


def _one_at_a_time(piece: str) -> Iterator[Claim]:
    """Return what someone drives, wears or teaches, and where someone goes to school."""
    if match := _ONE_AT_A_TIME.search(piece):
        what, _, use = re.split(r" (for|to|at|in|on|with) ", match["what"] + " for ", maxsplit=1)
        about = subject_before(piece[: match.start()]) | content(f"{match['verb']} {use}")
        yield Claim(topic("one", about), content(what), bool(_CHANGE.search(piece)))
    if match := _SCHOOL.search(piece):
        about = subject_before(piece[: match.start()])
        yield Claim(topic("school", about), frozenset(words(match["value"])))


def _preferred(piece: str) -> Iterator[Claim]:
    """Return the kind that someone prefers of several: "prefers window seats on planes"."""
    if like := _LIKED_SO.search(piece):
        about = subject_before(piece[: like.start()]) | content(like["what"])
        yield Claim(topic("liked so", about), content(like["value"]))
    match = _PREFERRED.search(piece)
    if match and (about := content(match["rest"])):
        about |= subject_before(piece[: match.start()])
        yield Claim(topic("preferred", about), content(match["kind"]))


def _ways(piece: str) -> Iterator[Claim]:
    """Return how someone gets to work."""
    if match := _WAY.search(piece):
        firm = bool(_CHANGE.search(piece))
        yield Claim(topic("way", frozenset(words(match["where"]))), content(match["value"]), firm)


def _coloured(piece: str) -> Iterator[Claim]:
    """Return the colour of something, and the company with which someone has an account or
    contract.
    """
    if match := _COLOUR.search(piece):
        yield Claim(topic("colour", content(piece[: match.start()])), content(match["value"]))
    if match := _IS_WITH.match(piece) or _MOVED_TO.match(piece):
        yield Claim(topic("with", content(match["what"])), frozenset(words(match["value"])))


def _been(piece: str) -> Iterator[Claim]:
    """Return whether someone has been to a place."""
    if match := _BEEN.search(piece):
        value = frozenset({"no" if match["never"] else "yes"})
        yield Claim(topic("been", frozenset(words(match["value"]))), value)


def _called(piece: str) -> Iterator[Claim]:
    """Return the name by which someone wants to be called."""
    if match := _CALL_ME.search(piece):
        yield Claim(topic("call me", frozenset()), frozenset(words(match["value"])))


def _kept(piece: str) -> Iterator[Claim]:
    """Return the place where something is kept."""
    if match := _KEPT.search(piece):
        subject = subject_before(piece[: match.start()]) | content(match["what"])
        value = content(match["value"])
        yield Claim(topic("kept", subject), value, bool(_CHANGE.search(piece)))


def _owned(piece: str) -> Iterator[Claim]:
    """Return the value of one of the user's properties: "my rent is 900 euros"."""
    for old, new in _SPELLINGS:
        piece = re.sub(old, new, piece, flags=re.I)
    if match := _ATTRIBUTE.match(piece) or _NAMED.match(piece):
        owner = frozenset(words(match["owner"]) | {match["what"].casefold()})
        if value := content(match["value"]):
            yield Claim(topic("owned", owner), value)
    elif match := _OTHER_NAMED.match(piece):
        kind = "called" if match["called"] else "named"
        owner = frozenset(words(f"{match['owner']} {match['what']}"))
        yield Claim(topic(kind, owner), content(match["value"]), bool(_NOW.search(piece)))


def _numbers(piece: str) -> Iterator[Claim]:
    """Return the numbers and dates of a statement about a state, beside its other words."""
    piece = _RAISED.sub(r"user \1 ", _CUT_DOWN.sub("is", _RESCHEDULED.sub("is", piece)))
    if _NUMBERED.match(piece):
        return
    counted = _COUNTED.search(piece)
    counts = bool(counted and _NUMBER.match(piece, counted.end()))
    state = bool(_NUMBER_VERBS.search(piece) or _RATE.search(piece))
    one_of_several = bool(_SEVERAL.search(piece)) and " now" not in piece
    about = content(LIGHT_VERBS.sub(" ", _NUMBER.sub(" ", _AGE.sub(" age ", piece))))
    own = _OWN_EVENT.search(piece)
    days = frozenset(
        word for day in ([] if own else _ITS_DAY.findall(piece)) for word in day.casefold().split()
    )
    found = frozenset(one.casefold() for one in _NUMBER.findall(piece))
    if found - days:
        about, found = about | (days & found), found - days
    if about and found:
        kind = "count" if counts else "number"
        firm = counts or bool(own) or (state and not one_of_several)
        yield Claim(topic(kind, about), found, firm or bool(_NOW.search(piece)))
