"""The XML interface of seed 004: tags in a message, with or without a model's prose around them.

reading      a message → the requests of its tags
answering    requests → their effects, and the answer as XML
"""

from memory.xml.answering import answer
from memory.xml.reading import Delete, Load, Save, requests_in

__all__ = ["Delete", "Load", "Save", "answer", "requests_in"]
