"""Claims of an English statement. The words are in english.toml."""

import re
import tomllib
from collections.abc import Iterator
from importlib import resources

from memory.reconciliation.claims.base import Claim, any_of, topic
from memory.text.text_similarity import words

_W = tomllib.loads(resources.files(__package__).joinpath("english.toml").read_text("utf-8"))

_SHORT_FORMS = (
    (re.compile(r"\bthe user\b", re.I), "user"),
    (re.compile(r"\bwe\b", re.I), "i"),
    (re.compile(r"\bour\b", re.I), "my"),
    (re.compile(r"\bcan(?:'t|not)\b", re.I), "can not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"'ve\b", re.I), " have"),
    (re.compile(r"'m\b", re.I), " am"),
    (re.compile(r"'re\b", re.I), " are"),
    (re.compile(r"\b(he|she|it)'s\b", re.I), r"\1 is"),
    (re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof)\."), r"\1"),
    (re.compile(r"\bnon-", re.I), "not "),
    (re.compile(r"\bsmokers?\b", re.I), "smokes"),
    (re.compile(r"(\d)(am|pm|kg|km|lb|cm)\b", re.I), r"\1 \2"),
)
_OPENING = re.compile(
    r"^\W*(?:(?:it turns out|turns out|actually|update|by the way|btw|correction|in fact|now|well"
    r"|as of \w+|from now on|since \w+ \w+|please remember|remember|note)\b(?: that\b)?[,:]? *)+",
    re.IGNORECASE,
)
_PIECES = re.compile(r"[.;!?](?:\s+|$)|,? (?:and|but|while) ")
_SUBJECT = re.compile(
    r"^(?:user's \w+|my \w+|user|i|(?-i:[A-Z]\w+)(?='s| \w+s\b)(?:'s \w+)?)\b", re.I
)
_STARTS_ANEW = re.compile(r"^(?:i|user|user's|my|he|she|they|we|it|the|(?-i:[A-Z]\w+))\b", re.I)
_OWN = re.compile(
    r"(?:i|user|my|user's)\b(?! (?:sister|brother|father|mother|wife|husband|friend))", re.I
)
_SELF = re.compile(r"\b(?:i|user|we)\b(?!')", re.I)

_NOT_TODAY, _ASIDES, _TIMES = (any_of(_W[name]) for name in ("not_today", "asides", "times"))
_LIKES, _DISLIKES = any_of(_W["likes"]), any_of(_W["dislikes"])
_LIGHT_VERBS, _OPPOSITES = any_of(_W["light_verbs"]), any_of([*_W["opposites"]])
_SYNONYMS = any_of([*_W["synonyms"]])
_IS = re.compile(r"\b(?:is|am|are|feels?|prefers?|works?)\b|LIKE", re.I)
_HABIT_ENDINGS = any_of(_W["habit_endings"])
_DOUBLED = re.compile(r"([^aeiou])\1$")
_NEGATIONS, _ENDINGS = any_of(_W["negations"]), any_of(_W["endings"])
_SEVERAL = any_of([f"{word} (?:is|are)" for word in _W["several"]])
_WIDE = frozenset(_W["wide_places"].split())
_STATES = {group: [any_of([state]) for state in states] for group, states in _W["states"].items()}
_NAME = r"(?-i:(?:the )?(?P<value>[A-Z][\w'&-]*(?: (?:[A-Z][\w'&-]*|\d+)){0,3}))"
_SLOTS = {
    slot: re.compile(rf"\b(?:{'|'.join(patterns)}) {_NAME}", re.I)
    for slot, patterns in _W["slots"].items()
}
_STREET = re.compile(r"\b(?:street|road|avenue|lane|st|rd|ave)$", re.I)
_POSITION = re.compile(rf"\b(?:{'|'.join(_W['positions'])}) (?P<value>[\w -]+)", re.I)
_FAMILIES = {name: any_of(members) for name, members in _W["families"].items()}
_ENDED_NAME = re.compile(
    rf"\b(?:{'|'.join(_W['endings'])})(?: (?:my|the|his|her|their))? ((?-i:[A-Z][\w'&-]*))"
    r"|^((?-i:[A-Z][\w'-]*)) (?:has |sadly |just )?(?:died|passed away)",
    re.I,
)
_CHANGE = any_of(_W["changes"])
_INSTEAD = re.compile(r"\b(?:instead of|rather than) .*", re.I)
_OWNED = (
    r"^(?P<owner>(?:my|\w+'s)(?: \w+'s)*) (?:new |current )?(?P<what>{what})"
    r" (?:is|are|changed to|has changed to)(?: now| currently)?(?: called| named)? {value}"
)
_ANY_NAME = r"(?:an? |the )?(?-i:(?P<value>(?:iPhone|[A-Z0-9][\w'-]*)(?: [A-Z0-9][\w'-]*)*))"
_ATTRIBUTE = re.compile(
    _OWNED.format(what="|".join(_W["attributes"]), value="(?P<value>.+)$"), re.I
)
_NAMED = re.compile(_OWNED.format(what="|".join(_W["holders"]), value=_ANY_NAME), re.I)
# Anything else that is or is called a name. Only "now" says that the older name is outdated.
_OTHER_NAMED = re.compile(
    r"^(?P<owner>my|\w+'s) (?P<what>\w+(?: \w+)?) (?:is|are)(?: now)?(?P<called> called| named)?"
    rf" {_ANY_NAME}(?: now)?$",
    re.I,
)
_NOW = re.compile(r"\bnow\b", re.I)
_SPELLINGS = (("favorite", "favourite"), ("email address", "email"), ("home address", "address"))
# Words of a change, which belong to no subject: "my new phone is a Pixel".
_CHANGING = frozenset(
    words(
        "new main phone mobile laptop computer browser editor switched changed migrated uses"
        " replaced upgraded"
    )
)

_ORDERS = [re.compile(order, re.I) for order in _W["orders"]]
_LESS = re.compile(r"\bless\b", re.I)
_KEPT = re.compile(
    r"\b(?:keeps?|stores?|parks?|puts?) (?P<what>(?:my|the|his|her|their) [\w ]{1,40}?)"
    r" (?:in|at|on|under|behind) (?P<value>[\w ]+)",
    re.I,
)

_NUMBER = re.compile(
    r"\b\d[\d.,:-]*(?:st|nd|rd|th)?\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|noon|midnight|am(?<=\d am)|pm"
    rf"|(?:{_W['ordinals']})(?= (?:floor|grade|year|semester|month|place|draft|edition)\b)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|spring|summer|autumn|winter)\b",
    re.I,
)
_RESCHEDULED = re.compile(
    r"\b(?:is|are|was|has been|have been|got)?(?: now)? ?(?:moved|postponed|rescheduled|changed"
    r"|brought forward|pushed(?: back)?|delayed) to\b",
    re.I,
)
# Names one of several: "the meeting on Monday is", "on Mondays".
_ITS_DAY = re.compile(r"\bon \w+days?(?= (?:is|starts|begins|ends)\b)|\bon \w+days\b", re.I)
_AGE = re.compile(r"\byears? old\b|(?<=^user is )(?=\d+$)|(?<=^i am )(?=\d+$)", re.I)
_RATE = re.compile(r"\b(?:a|per|each|every) (?:day|night|week|month|year)\b", re.I)
_COUNTED = re.compile(r"\b(?:has|have) (?=\w)", re.I)
# One of several things of a kind, known by its number: "ticket 12 is open", "my room 4 is free".
_NUMBERED = re.compile(
    r"\A(?:(?:the|my|our|user's)\s+)?[a-z]+\s+(?:no\.?\s*|#)?\d[\d.]*\s+(?:is|are|has|opens|closes)\b",
    re.IGNORECASE,
)
_NUMBER_VERBS = any_of(_W["number_verbs"])


def claims(text: str) -> list[Claim]:
    """Return what the text claims of today."""
    found: list[Claim] = []
    for piece in _pieces(text):
        found += _stance(piece)
        if not _NOT_TODAY.search(piece):
            found += [*_states(piece), *_slots(piece), *_choices(piece)]
            found += [*_owned(piece), *_numbers(piece), *_kept(piece)]
        found += _orders(piece)
    return found


def ended(text: str) -> frozenset[str]:
    """Return the words of the thing whose end the text tells; none if it tells no end."""
    for piece in _pieces(text):
        if _ENDINGS.search(piece):
            return thing(_ENDINGS.sub(" ", piece))
    return frozenset()


def ends_habit(new: str, old: str) -> bool:
    """Return true if the text tells the end of a habit of the same person; its details may
    differ."""
    return bool(_HABIT_ENDINGS.search(_plain(new))) and _who(new) == _who(old)


def _who(text: str) -> str:
    match = _SUBJECT.match(_plain(text))
    return re.sub(r"^i$", "user", match[0].casefold()) if match else ""


def thing(text: str) -> frozenset[str]:
    """Return the words of what a text is about, without times; none if it tells that it is not."""
    plain = _plain(text)
    return frozenset() if _NEGATIONS.search(plain) else _content(_TIMES.sub(" ", plain))


def ends_by_name(new: str, old: str) -> bool:
    """Return true if the text tells the end of something by its name, and the user has it."""
    own = _OWN.match(_plain(old))
    names = [match for piece in _pieces(new) if (match := _ENDED_NAME.search(piece))]
    return bool(own and names) and all(_content(match[1] or match[2]) for match in names)


def _plain(text: str) -> str:
    text = text.replace("’", "'").strip().rstrip(".!")
    for pattern, full in _SHORT_FORMS:
        text = pattern.sub(full, text)
    return _OPENING.sub("", text)


def _pieces(text: str) -> Iterator[str]:
    """Return the parts of a statement, each with its subject. Questions claim nothing."""
    if "?" in text:
        return
    subject, waiting = "", ""
    for part in _PIECES.split(_plain(text)):
        piece = _OPENING.sub("", f"{waiting} and {part}" if waiting else part.strip())
        waiting = piece if len(piece.split()) < 3 else ""  # "Mia and I …" is one subject
        if _STARTS_ANEW.match(piece):
            subject = match[0] if (match := _SUBJECT.match(piece)) else ""
        elif subject:
            piece = f"{subject} {piece}"
        if not waiting:
            yield piece
    if waiting:
        yield waiting


def _content(text: str) -> frozenset[str]:
    return frozenset(_DOUBLED.sub(r"\1", word) for word in words(_ASIDES.sub(" ", text)))


def _subject(before: str) -> frozenset[str]:
    """Return the words of the subject before a verb; none for the user."""
    return frozenset() if _SELF.search(before) else _content(before)


def _stance(piece: str) -> Iterator[Claim]:
    """Return whether the user does, likes or is what the piece says."""
    plain = _LIKES.sub("LIKE", _DISLIKES.sub("not LIKE", piece))
    if _IS.search(plain):
        plain = _SYNONYMS.sub(lambda one: _W["synonyms"][one[0].casefold()], plain)
        plain = _OPPOSITES.sub(lambda one: f"not {_W['opposites'][one[0].casefold()]}", plain)
    denied = len(_NEGATIONS.findall(plain)) % 2 == 1
    plain = _NEGATIONS.sub(" ", plain)
    if about := _content(_LIGHT_VERBS.sub(" ", plain)) or _content(plain):
        yield Claim(topic("stance", about), frozenset({"no" if denied else "yes"}))


def _states(piece: str) -> Iterator[Claim]:
    for group, states in _STATES.items():
        for name, state in enumerate(states):
            match = state.search(piece)
            if match and not _NEGATIONS.search(match[0]):
                subject = _subject(piece[: match.start()])
                yield Claim(topic(group, subject), frozenset({str(name)}))
                break


def _slots(piece: str) -> Iterator[Claim]:
    for slot, pattern in _SLOTS.items():
        if match := pattern.search(piece):
            name, subject = match["value"], _subject(piece[: match.start()])
            street = _STREET.search(name)
            wide = "wide" if name.casefold() in _WIDE else "street" if street else ""
            yield Claim(topic(slot, subject, wide), frozenset(words(name)))
    if match := _POSITION.search(piece):
        subject = _subject(piece[: match.start()])
        yield Claim(topic("position", subject), _content(match["value"]))


def _choices(piece: str) -> Iterator[Claim]:
    """Return which of the things for one purpose the user has: a phone, an editor."""
    # Somebody who works at Nokia may have any phone.
    firm, piece = bool(_CHANGE.search(piece)), _SLOTS["employer"].sub("", _INSTEAD.sub("", piece))
    for family, members in _FAMILIES.items():
        if found := [*members.finditer(piece)]:
            subject = _subject(piece[: found[0].start()]) - _CHANGING
            yield Claim(topic(family, subject), frozenset(words(found[-1][0])), firm)


def _orders(piece: str) -> Iterator[Claim]:
    """Return which of two things comes first: "prefers coffee to tea", "is taller than Ben"."""
    for order in _ORDERS:
        if (match := order.search(piece)) and not _NEGATIONS.search(piece):
            first, about = _content(match["a"]), _content(_LESS.sub("more", piece))
            if _LESS.search(match[0]):
                first = _content(match["b"])
            yield Claim(topic("order", about), first)
            return


def _kept(piece: str) -> Iterator[Claim]:
    """Return the place where something is kept."""
    if match := _KEPT.search(piece):
        subject = _subject(piece[: match.start()]) | _content(match["what"])
        value = _content(match["value"])
        yield Claim(topic("kept", subject), value, bool(_CHANGE.search(piece)))


def _owned(piece: str) -> Iterator[Claim]:
    """Return the value of one of the user's properties: "my rent is 900 euros"."""
    for old, new in _SPELLINGS:
        piece = re.sub(old, new, piece, flags=re.I)
    if match := _ATTRIBUTE.match(piece) or _NAMED.match(piece):
        owner = frozenset(words(match["owner"]) | {match["what"].casefold()})
        if value := _content(match["value"]):
            yield Claim(topic("owned", owner), value)
    elif match := _OTHER_NAMED.match(piece):
        kind = "called" if match["called"] else "named"
        owner = frozenset(words(f"{match['owner']} {match['what']}"))
        yield Claim(topic(kind, owner), _content(match["value"]), bool(_NOW.search(piece)))


def _numbers(piece: str) -> Iterator[Claim]:
    """Return the numbers and dates of a statement about a state, beside its other words."""
    piece = _RESCHEDULED.sub("is", piece)
    if _NUMBERED.match(piece):
        return
    counted = _COUNTED.search(piece)
    counts = bool(counted and _NUMBER.match(piece, counted.end()))
    state = bool(_NUMBER_VERBS.search(piece) or _RATE.search(piece))
    one_of_several = bool(_SEVERAL.search(piece)) and " now" not in piece
    about = _content(_NUMBER.sub(" ", _AGE.sub(" age ", piece)))
    days = frozenset(word for day in _ITS_DAY.findall(piece) for word in day.casefold().split())
    found = frozenset(one.casefold() for one in _NUMBER.findall(piece))
    if found - days:
        about, found = about | (days & found), found - days
    if about and found:
        kind, firm = "count" if counts else "number", counts or (state and not one_of_several)
        yield Claim(topic(kind, about), found, firm or bool(_NOW.search(piece)))
