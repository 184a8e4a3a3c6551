"""Claims of an English statement. The words are in english.toml."""

import re
from collections.abc import Iterator

from memory.reconciliation.claims.base import Claim, Doing, any_of, topic
from memory.reconciliation.claims.english_text import (
    LIGHT_VERBS,
    SUBJECT,
    W,
    content,
    last_word,
    pieces,
    plain,
    subject_before,
)
from memory.reconciliation.claims.english_values import always, values
from memory.text.text_similarity import words

_OWN = re.compile(
    r"(?:i|user|my|user's)\b(?! (?:sister|brother|father|mother|wife|husband|friend))", re.I
)
_NOT_TODAY, _TIMES = (any_of(W[name]) for name in ("not_today", "times"))
_LIKES, _DISLIKES = any_of(W["likes"]), any_of(W["dislikes"])
_OPPOSITES, _SYNONYMS = any_of([*W["opposites"]]), any_of([*W["synonyms"]])
_IS = re.compile(r"\b(?:is|am|are|feels?|prefers?|works?)\b|LIKE", re.I)
_HABIT_ENDINGS = any_of(W["habit_endings"])
_CAN = re.compile(r"\b(?:can|(?:is|am|are) able to)\b", re.I)
# A word after which no noun follows directly.
_CLOSING = re.compile(
    r"(?<![\w-])([\w-]{1,40})(?= {0,4}(?:$|[,;]| (?:an?|the|my|his|her|their|this|in|on|at"
    r"|with|for|from|to|of|by|before|after|during|since|until|every|each|once|twice|again|now|too|and|or"
    r"|\w{1,30}ly|two|three|four|five|\d+)\b))",
    re.I,
)
_RENEWED = re.compile(r"\b(?:again|now|these days|started|finally)\b", re.I)
_ENDED = re.compile(
    r"\b(?:any ?(?:more|longer)|no longer|quit|stopped|gave up|given up|never)\b", re.I
)
_REPLACED, _BESIDE = any_of(W["replacing"]), any_of(W["beside"])
# Verbs that say nothing about what was replaced.
_OFTEN_SAID = frozenset(
    words("work live go play like love use have get want need know see study read")
)
# Verbs that mean something else without an object: "does not drink", "drinks tea".
_VAGUE = frozenset(
    words("drink work play run use have go do make take get want need know see live")
)
_NEGATIONS, _ENDINGS = any_of(W["negations"]), any_of(W["endings"])
_STATES = {group: [any_of([state]) for state in states] for group, states in W["states"].items()}
_ENDED_NAME = re.compile(
    rf"\b(?:{'|'.join(W['endings'])})(?: (?:my|the|his|her|their))? ((?-i:[A-Z][\w'&-]*))"
    r"|^((?-i:[A-Z][\w'-]*)) (?:has |sadly |just )?(?:died|passed away|(?:ran|run) away(?! from)"
    r"|(?:went|gone) missing)",
    re.I,
)
# "My brother Tim is a pilot" is about Tim, "My brother Tim's wife" about another person.
_NAMED_KIN = re.compile(
    r"(?:user's|my) [a-z-]{1,20} (?:is (?:called|named) )?((?-i:[A-Z][\w-]*))(?!['’\w-])", re.I
)
_ORDERS = [re.compile(order, re.I) for order in W["orders"]]
_LESS = re.compile(r"\bless\b", re.I)
_MADE = re.compile(
    r"^(?:i|user) (?:have |has )?(?:painted|dyed|cut|coloured|colored) (my \w+) (\w+)$", re.I
)
_HAS_SUCH = re.compile(
    rf"^(?:i|user) (?:have|has) (long|short|curly|straight|{W['colours']}) (\w+)$", re.I
)


def claims(text: str) -> list[Claim]:
    """Return what the text claims about the present."""
    found: list[Claim] = []
    for said in pieces(text):
        piece = _as_state(said)
        found += [*_stance(piece), *always(piece)]
        if not _NOT_TODAY.search(piece):
            found += [*_states(piece), *values(piece)]
        found += _orders(piece)
    return found


def ended(text: str) -> frozenset[str]:
    """Return the words of the thing that ended according to the text; none if nothing did."""
    for piece in pieces(text):
        if _ENDINGS.search(piece):
            return thing(_ENDINGS.sub(" ", piece))
    return frozenset()


def ends_habit(new: str, old: str) -> bool:
    """Return true if the text says that a habit of the same person ended. The details of the habit
    may differ.
    """
    return bool(_HABIT_ENDINGS.search(plain(new))) and _who(new) == _who(old)


def changed(text: str) -> frozenset[str]:
    """Return the words of a piece that says that something was replaced; none if no piece does."""
    for piece in pieces(text):
        if _REPLACED.search(piece) and not _BESIDE.search(piece):
            return content(LIGHT_VERBS.sub(" ", _REPLACED.sub(" ", piece))) - _OFTEN_SAID
    return frozenset()


def same_subject(new: str, old: str) -> bool:
    """Return true if both texts begin with the same person or thing."""
    return _who(new) == _who(old)


def _who(text: str) -> str:
    match = SUBJECT.match(plain(text))
    return re.sub(r"^i$", "user", match[0].casefold()) if match else ""


def thing(text: str) -> frozenset[str]:
    """Return the words of the thing that a text is about, without times; none if the text has a
    negation.
    """
    said = plain(text)
    return frozenset() if _NEGATIONS.search(said) else content(_TIMES.sub(" ", said))


def ends_by_name(new: str, old: str) -> bool:
    """Return true if the text says that a named thing ended, and the user has it."""
    names = [match for piece in pieces(new) if (match := _ENDED_NAME.search(piece))]
    own, kin = _OWN.match(plain(old)), _NAMED_KIN.match(plain(old))
    if kin is not None and any(match[2] == kin[1] for match in names):
        return True
    return bool(own and names) and all(content(match[1] or match[2]) for match in names)


def _stance(piece: str) -> Iterator[Claim]:
    """Return whether the user does, likes or is what the piece says."""
    said, denied = _affirmed(piece)
    if about := content(LIGHT_VERBS.sub(" ", said)) or content(said):
        yield Claim(topic("stance", about), frozenset({"no" if denied else "yes"}))


def _affirmed(piece: str) -> tuple[str, bool]:
    """Return the piece without its negations, and whether they deny it."""
    said = _LIKES.sub("LIKE", _DISLIKES.sub("not LIKE", piece))
    if _IS.search(said):
        said = _SYNONYMS.sub(lambda one: W["synonyms"][one[0].casefold()], said)
        said = _OPPOSITES.sub(lambda one: f"not {W['opposites'][one[0].casefold()]}", said)
    return _NEGATIONS.sub(" ", said), len(_NEGATIONS.findall(said)) % 2 == 1


def doings(text: str) -> Iterator[Doing]:
    """Return what someone does or is, or does not, according to the text. Plans and memories are
    left out.
    """
    for piece in pieces(text):
        said, denied = _affirmed(_CAN.sub(" ", piece))
        about, last = content(said), last_word(said)
        if last and not _NOT_TODAY.search(said):
            closing = content(" ".join(_CLOSING.findall(f"{said} ")))
            certain = len(about - content(_who(piece))) > 1 or (
                bool(_ENDED.search(piece)) and last not in _VAGUE
            )
            renewed = not denied and bool(_RENEWED.search(piece))
            yield Doing(_who(piece), about, last, closing, denied, certain, renewed)


def _states(piece: str) -> Iterator[Claim]:
    for group, states in _STATES.items():
        for name, state in enumerate(states):
            match = state.search(piece)
            if match and (group in W["negative"] or not _NEGATIONS.search(match[0])):
                subject = subject_before(piece[: match.start()])
                yield Claim(topic(group, subject), frozenset({str(name)}))
                yield Claim(topic(group, subject, str(name)), frozenset({"yes"}))
                break
    yield from _denied_states(piece)


def _denied_states(piece: str) -> Iterator[Claim]:
    """Return the states that someone is not in, according to the piece: "is no longer
    vegetarian".
    """
    said, denied = _NEGATIONS.sub("", piece), len(_NEGATIONS.findall(piece)) == 1
    for group in W["deniable"]:
        for name, state in enumerate(_STATES[group]):
            match = state.search(re.sub(" +", " ", said))
            if match and denied and not state.search(piece):
                subject = subject_before(said[: match.start()])
                yield Claim(topic(group, subject, str(name)), frozenset({"no"}))


def _as_state(piece: str) -> str:
    """Return the state that the piece brought about: "cut my hair short", "has short hair"."""
    return _HAS_SUCH.sub(r"my \2 is \1", _MADE.sub(r"\1 is \2", piece))


def _orders(piece: str) -> Iterator[Claim]:
    """Return which of two things comes first: "prefers coffee to tea", "is taller than Ben"."""
    for order in _ORDERS:
        if (match := order.search(piece)) and not _NEGATIONS.search(piece):
            first, about = content(match["a"]), content(_LESS.sub("more", piece))
            if _LESS.search(match[0]):
                first = content(match["b"])
            yield Claim(topic("order", about), first)
            return
