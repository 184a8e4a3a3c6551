"""The built-in assessor: the reader's view of a message, with tags and topics."""

from assessor.local.assessing import LocalResult, assess, teaches_nothing

__all__ = ["LocalResult", "assess", "teaches_nothing"]
