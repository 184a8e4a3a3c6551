"""Reading a variable: what is set to nothing counts as unset, what makes no sense is refused.

Each refusal is one line that names the variable. django-environ finds the secret files and takes
database addresses apart; its own readers take "ja" for no and "$word" for another variable's name.
"""

import math
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping

_YES = {"1", "true", "yes", "on"}
_NO = {"0", "false", "no", "off"}


class Environment:
    """The variables of this process. Each reader raises ImproperlyConfigured."""

    def __init__(self) -> None:
        self._values = FileAwareMapping()

    def source(self, name: str) -> str:
        """`name`, or `name_FILE` if that is where its value comes from."""
        return f"{name}_FILE" if f"{name}_FILE" in self._values else name

    def text(self, name: str, default: str = "") -> str:
        """Without the spaces and line breaks at its ends, which a secret's file often has."""
        try:
            value: str = self._values.get(name, "")
        except (OSError, UnicodeDecodeError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "it is not text"
            raise ImproperlyConfigured(
                f"the file in {name}_FILE cannot be read: {reason}."
            ) from None
        return value.strip() or default

    def yes(self, name: str, *, default: bool) -> bool:
        given = self.text(name).lower()
        if given not in _YES | _NO | {""}:
            raise _wrong(name, given, "must be 1 or 0, true or false, yes or no, on or off")
        return given in _YES if given else default

    def whole(self, name: str, default: int, *, most: int) -> int:
        """A whole number from 1 to `most`."""
        found = self.whole_or_none(name, most=most)
        return default if found is None else found

    def whole_or_none(self, name: str, *, most: int) -> int | None:
        given = self.text(name)
        if not given:
            return None
        if not (given.isdecimal() and 1 <= int(given) <= most):
            raise _wrong(name, given, f"must be a whole number from 1 to {most}")
        return int(given)

    def price(self, name: str) -> float | None:
        """A number that is not negative; None if unset."""
        given = self.text(name)
        try:
            value = float(given) if given else None
        except ValueError:
            value = math.nan
        if value is not None and not 0 <= value < math.inf:
            raise _wrong(name, given, "must be a number, 0 or more, with a point: 0.15")
        return value

    def several(self, name: str) -> list[str]:
        """What stands between commas."""
        return [part for given in self.text(name).split(",") if (part := given.strip())]

    def one_of(self, name: str, choices: Sequence[str], default: str) -> str:
        """In capitals, however it was written."""
        given = self.text(name, default).upper()
        if given not in choices:
            raise _wrong(name, given, f"must be one of {', '.join(choices)}")
        return given

    def hosts(self, name: str) -> list[str]:
        """Names as they stand in a request's Host, without its port."""
        for host in (hosts := self.several(name)):
            if "/" in host or (host.count(":") == 1 and "]" not in host):
                raise _wrong(name, host, "must be host names without scheme, port or path")
        return hosts

    def origins(self, name: str) -> list[str]:
        """Scheme and host, as browsers send them in Origin."""
        for origin in (origins := self.several(name)):
            scheme, _, host = origin.partition("://")
            if scheme not in {"http", "https"} or not host or "/" in host:
                raise _wrong(name, origin, "must be like https://ebb.example, without a path")
        return origins


def _wrong(name: str, given: str, rule: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is {given!r}; it {rule}.")
