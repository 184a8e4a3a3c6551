"""Checks of names: of users, agents, sessions, keys, spaces and models."""

import re


def _(text: str) -> str:
    """Mark a text for translation. Without Django's function: the built-in assessor, which reads
    drafts, must start without Django."""
    return text


MAX_NAME = 255
ANYBODY = "*"
"""Stands for all users in a request; no user has this name."""
# Characters that no name may have: they would change a log or a terminal (control characters),
# begin a line, or reverse the direction of the following text, so that a name looks like another
# one.
_REFUSED = r"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069"
_REFUSED_SIGN = re.compile(rf"[{_REFUSED}\ud800-\udfff]")
# The forms of a name for JSON schemas, and of one that may be empty; the functions enforce them.
NAME_PATTERN = rf"^[^{_REFUSED}]*[^\s{_REFUSED}][^{_REFUSED}]*$"
OPTIONAL_NAME_PATTERN = rf"^[^{_REFUSED}]*$"
NO_CONTROL = _("must not contain control characters or direction marks")


def has_control_characters(text: str) -> bool:
    """Return whether a text has characters that no name may have."""
    return _REFUSED_SIGN.search(text) is not None


def checked_name(text: str) -> str:
    """Return the name of a user, an agent, a session or a row elsewhere; raises ValueError."""
    if not text.strip():
        raise ValueError("must not be empty")
    if len(text) > MAX_NAME:
        raise ValueError(f"must have at most {MAX_NAME} characters")
    if has_control_characters(text):
        raise ValueError(NO_CONTROL)
    return text


def checked_user(text: str) -> str:
    """Return the name of one user; raises ValueError."""
    if text == ANYBODY:
        raise ValueError(f"must be the name of one user; “{ANYBODY}” stands for all users")
    return checked_name(text)
