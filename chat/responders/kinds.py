"""The kinds of messages to the built-in responder."""

from enum import Enum, auto


class Kind(Enum):
    """The intention of a message."""

    GREETING = auto()
    THANKS = auto()
    FAREWELL = auto()
    ACKNOWLEDGEMENT = auto()
    DENIAL = auto()
    WHO_ARE_YOU = auto()
    EVERYTHING = auto()  # a list of all memories
    TODAY = auto()  # a list of the memories saved today
    FORGET = auto()
    TASK = auto()  # a request that needs a language model
    QUESTION = auto()
    STATEMENT = auto()


LISTS = frozenset({Kind.EVERYTHING, Kind.TODAY, Kind.FORGET})
"""The answer lists memories: it uses none of them."""
