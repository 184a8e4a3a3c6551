"""The built-in assessor: a small trained head and text rules, without key or network."""

from assessor.local.assessing import LocalResult, assess, only_asks

__all__ = ["LocalResult", "assess", "only_asks"]
