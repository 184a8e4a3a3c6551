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
    FORGET = auto()
    TASK = auto()  # a request that needs a language model
    QUESTION = auto()
    STATEMENT = auto()
