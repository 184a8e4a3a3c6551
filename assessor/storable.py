"""Makes text from models storable in the database and valid UTF-8."""


def storable(text: str) -> str:
    """Replace NUL and lone surrogates, which cannot be stored, with U+FFFD.

    Two adjacent halves of a surrogate pair, split by an endpoint, are joined.
    """
    if text.isascii() and "\x00" not in text:
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\x00", "\ufffd")
