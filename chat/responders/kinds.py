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


LISTS = frozenset({Kind.EVERYTHING, Kind.TODAY})
"""Questions that the built-in responder answers with a list, which is no use of the memories."""
