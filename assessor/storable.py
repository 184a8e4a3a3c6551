"""Text from models, which may say anything, made fit for the database and for UTF-8."""


def storable(text: str) -> str:
    """The text with U+FFFD for what cannot be stored: NUL and lone halves of surrogate pairs.

    Two halves that stand side by side, because an endpoint cut a pair in two, become one again.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "\ufffd")
