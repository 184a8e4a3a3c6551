"""The XML interface of seed 004: tags in a message, a model's prose around them or not.

reading      a message → what its tags ask for
answering    doing that → XML
"""

from memory.xml.answering import answer
from memory.xml.reading import Delete, Load, Save, requests_in

__all__ = ["Delete", "Load", "Save", "answer", "requests_in"]
