"""Reads what people write: small trained models, for fifteen languages, without Django.

    read(Message)             who speaks in a message, what it is worth, and the facts in it
    answers(asked, memories)  which memories answer a question or help with it, and where
    language_of(text)         the language of a text

`python -m reader.training` trains them on `reader/examples`; `reader/weights` has the results.
"""

from reader.answer import Answer, answers
from reader.language import language_of
from reader.statement import Fact, Message, Reading, read

__all__ = ["Answer", "Fact", "Message", "Reading", "answers", "language_of", "read"]
