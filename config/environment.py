"""Reads environment variables: empty values count as unset, invalid values are refused.

Each refusal is one line that names the variable. django-environ finds secret files and parses
database URLs; its own readers take "ja" for no and "$word" for another variable's name.
"""

import math
import re
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
        """Return `name`, or `name_FILE` if the value comes from there."""
        return f"{name}_FILE" if f"{name}_FILE" in self._values else name

    def text(self, name: str, default: str = "") -> str:
        """Return the value without surrounding white space, which a secret's file often has."""
        try:
            value: str = self._values.get(name, "")
        except (OSError, UnicodeDecodeError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "it is not text"
            raise ImproperlyConfigured(
                f"the file in {name}_FILE cannot be read: {reason}."
            ) from None
        return value.strip() or default

    def yes(self, name: str, *, default: bool) -> bool:
        """Return the value as a bool."""
        given = self.text(name).lower()
        if given not in _YES | _NO | {""}:
            raise _wrong(name, given, "must be 1 or 0, true or false, yes or no, on or off")
        return given in _YES if given else default

    def whole(self, name: str, default: int, *, most: int) -> int:
        """Return a whole number from 1 to `most`."""
        found = self.whole_or_none(name, most=most)
        return default if found is None else found

    def whole_or_none(self, name: str, *, most: int) -> int | None:
        """Return a whole number from 1 to `most`; None if unset."""
        given = self.text(name)
        if not given:
            return None
        if not (given.isdecimal() and 1 <= int(given) <= most):
            raise _wrong(name, given, f"must be a whole number from 1 to {most}")
        return int(given)

    def prices(self, name: str) -> tuple[float, float] | None:
        """Return two numbers of at least 0; None if unset."""
        given = self.several(name)
        try:
            prompt, answer = map(float, given or (0, 0))
        except ValueError:
            prompt = answer = math.nan
        if not (0 <= prompt < math.inf and 0 <= answer < math.inf):
            rule = "must be two numbers of at least 0, such as 0.15,0.60"
            raise _wrong(name, self.text(name), rule)
        return (prompt, answer) if given else None

    def several(self, name: str) -> list[str]:
        """Return the values between commas."""
        return [part for given in self.text(name).split(",") if (part := given.strip())]

    def address(self, name: str) -> str:
        """Return an http or https URL; "" if unset."""
        given = self.text(name)
        if given and not re.fullmatch(r"https?://[^\s/?#]+[^\s?#]*", given):
            raise _wrong(name, given, "must be a URL, such as https://login.example.org")
        return given

    def group_roles(self, name: str) -> list[tuple[str, str, str]]:
        """Return a group, a space's short name and a role for each GROUP=SPACE:ROLE."""
        found = []
        for given in self.several(name):
            group, _, place = given.rpartition("=")
            space, _, role = place.rpartition(":")
            is_known = role in ("viewer", "editor", "owner")
            if not (group and is_known and re.fullmatch(r"[-\w]{1,100}", space)):
                raise _wrong(
                    name, given, "must be like GROUP=SPACE:ROLE; roles are viewer, editor, owner"
                )
            found.append((group.strip(), space, role))
        return found

    def one_of(self, name: str, choices: Sequence[str], default: str) -> str:
        """Return one of the choices, in capitals; the case of the value is ignored."""
        given = self.text(name, default).upper()
        if given not in choices:
            raise _wrong(name, given, f"must be one of {', '.join(choices)}")
        return given

    def hosts(self, name: str) -> list[str]:
        """Return host names as in a request's Host header, without the port."""
        for host in (hosts := self.several(name)):
            if "/" in host or (host.count(":") == 1 and "]" not in host):
                raise _wrong(name, host, "must be host names without scheme, port or path")
        return hosts

    def origins(self, name: str) -> list[str]:
        """Return schemes and hosts, as browsers send them in the Origin header."""
        for origin in (origins := self.several(name)):
            scheme, _, host = origin.partition("://")
            if scheme not in {"http", "https"} or not host or "/" in host:
                raise _wrong(name, origin, "must be like https://ebb.example, without a path")
        return origins


def _wrong(name: str, given: str, rule: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} is {given!r}; it {rule}.")
