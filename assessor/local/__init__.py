"""The built-in assessor: the reader's view of a message, with tags and topics."""

from assessor.local.assessing import LocalResult, assess, worth_of

__all__ = ["LocalResult", "assess", "worth_of"]
