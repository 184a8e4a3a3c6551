"""Checks of names: of users, agents, sessions, keys and spaces."""

from unicodedata import category

MAX_NAME = 255
ANYBODY = "*"
"""Stands for all users in a request; no user has this name."""
# The form of a name for JSON schemas; `checked_name` enforces it.
_CONTROL = r"\u0000-\u001f\u007f-\u009f"
NAME_PATTERN = rf"^[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*$"
NO_CONTROL = "must not contain control characters"


def has_control_characters(text: str) -> bool:
    """Return whether a name has characters that would change a log or a terminal."""
    return any(category(character) == "Cc" for character in text)


def checked_name(text: str) -> str:
    """Return the name of a user, an agent, a session or a row elsewhere; raises ValueError."""
    if not text.strip():
        raise ValueError("must not be empty")
    if len(text) > MAX_NAME:
        raise ValueError(f"must have at most {MAX_NAME} characters")
    if any(category(sign) in {"Cc", "Cs"} for sign in text):
        raise ValueError(NO_CONTROL)
    return text


def checked_user(text: str) -> str:
    """Return the name of one user; raises ValueError."""
    if text == ANYBODY:
        raise ValueError(f"must be the name of one user; “{ANYBODY}” stands for all users")
    return checked_name(text)
