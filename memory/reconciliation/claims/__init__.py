"""Claims of a statement, read from its words, and contradictions between two statements.

The rule for spaces without a model (reconciliation.rules). It covers things that change in people's
lives: likes, homes, employers, relationships, diets, numbers, dates. If in doubt it finds no
contradiction: a superfluous memory fades, while a wrong merge loses what someone said.
"""

from collections.abc import Sequence
from functools import lru_cache

from memory.reconciliation.claims import chinese, english
from memory.reconciliation.claims.base import Claim, Doing
from memory.reconciliation.people import tells_of_another
from memory.text.lexemes import unspaced
from memory.text.statements import is_one_statement
from memory.text.text_similarity import weight

__all__ = ["agrees", "contradicts", "tells_end"]


def contradicts(new: str, old: str) -> bool:
    """Return true if the new statement makes the old one outdated."""
    if not (is_one_statement(new) and is_one_statement(old)):
        return False
    known = _claims(old)
    clash = any(one.denies(other) for one in _claims(new) for other in known)
    if clash or _denies(new, old) or _ends(new, old):
        return True
    # "I live in Porto now" repeats a memory that says the same.
    return _replaces(new, old) and not agrees(new, old)


def agrees(new: str, old: str) -> bool:
    """Return true if both statements make the same claim."""
    if not (is_one_statement(new) and is_one_statement(old)):
        return False
    known = _claims(old)
    return any(one.repeats(other) for one in _claims(new) for other in known)


def tells_end(text: str) -> bool:
    """Return true if the text says that something ended. Such a text cannot end once more."""
    return bool(_ended(text))


def _replaces(new: str, old: str) -> bool:
    """Return true if the new statement says that something changed, and is about most of what the
    old one says of the same person.
    """
    language = chinese if unspaced(new) else english
    if bool(unspaced(new)) != bool(unspaced(old)) or not language.same_subject(new, old):
        return False
    said, known = language.changed(new), _thing(old)
    both = weight(set(said & known))
    return both > 0 and both * 2 >= weight(set(known))


def _denies(new: str, old: str) -> bool:
    known = _doings(old)
    return any(one.denies(other) for one in _doings(new) for other in known)


@lru_cache(maxsize=1024)
def _doings(text: str) -> Sequence[Doing]:
    return [*chinese.doings(text)] if unspaced(text) else [*english.doings(text)]


@lru_cache(maxsize=1024)  # a new statement is compared with each of its neighbours
def _claims(text: str) -> Sequence[Claim]:
    return chinese.claims(text) if unspaced(text) else english.claims(text)


def _ends(new: str, old: str) -> bool:
    """Return true if the new statement names the end of what the old one is about: most of the
    words of the ended thing, and more than one incidental word of the memory."""
    language = chinese if unspaced(new) else english
    if bool(unspaced(new)) != bool(unspaced(old)) or tells_of_another(new, old):
        return False
    said, known = _ended(new), _thing(old)
    if not said or not known or tells_end(old):
        return False
    if said <= known and (language.ends_habit(new, old) or language.ends_by_name(new, old)):
        return True
    both = weight(set(said & known))
    return both * 2 > weight(set(said)) and (both >= 2 or both * 2 >= weight(set(known)))


@lru_cache(maxsize=1024)
def _ended(text: str) -> frozenset[str]:
    return chinese.ended(text) if unspaced(text) else english.ended(text)


@lru_cache(maxsize=1024)
def _thing(text: str) -> frozenset[str]:
    return chinese.thing(text) if unspaced(text) else english.thing(text)
