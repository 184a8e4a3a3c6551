"""Reads what people write: one small trained model, for sixteen languages, without Django.

    read(Message)  who speaks in a message, what it is worth, and the facts in it

`python -m reader.training` trains it on `reader/examples`; `reader/weights` has the result.
"""

from reader.statement import Fact, Message, Reading, read

__all__ = ["Fact", "Message", "Reading", "read"]
