"""The policy form: fields generated from memory/policy.py, read back and explained.

Field     one setting with its labels, its value as text, and its error
asked     a submitted form as changes for `change_policy`
changes   the differences between two documents, as labels and values
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_origin

from annotated_types import Ge, Gt, Le, MaxLen
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from foundation.errors import InvalidArguments
from memory.policies.label_types import GroupLabels, Labels
from memory.policies.labels import GROUPS, LABELS
from memory.policy import PolicyDocument

Kind = Literal["switch", "choice", "whole", "number", "text"]


@dataclass(frozen=True)
class Rule:
    """One field of the document: its path ("ttl.low_days"), its kind and bounds, and its labels."""

    path: str
    kind: Kind
    words: Labels
    least: float | None = None
    above: float | None = None
    most: float | None = None

    @property
    def group(self) -> str:
        """The group of the setting in the policy."""
        return self.path.rpartition(".")[0]

    @property
    def html_id(self) -> str:
        """The id of the field on the page."""
        return "rule-" + self.path.replace(".", "-")

    def text(self, value: Any) -> str:
        """Return the value as form text: numbers with a dot, a switch that is off as ""."""
        if self.kind == "switch":
            return "on" if value else ""
        if isinstance(value, float):
            # 30, not 30.0; and 0.000001, not 1e-06.
            return f"{Decimal(repr(value)):f}".removesuffix(".0")
        return str(value)

    def said(self, value: Any) -> str:
        """Return the value for display, with its unit."""
        if self.kind == "switch":
            return _("on") if value else _("off")
        if self.kind == "choice":
            return str((self.words.names or self.words.choices).get(value, value))
        if self.kind == "text":
            return str(value) or _("none")
        number = number_format(self.text(value), force_grouping=True)
        unit = (value == 1 and self.words.one) or self.words.unit
        return f"{number} {unit}".strip()

    def value(self, text: str) -> Any:
        """Return the value of a submitted text; text that is no number is returned as is, and the
        document rejects it.
        """
        if self.kind == "switch":
            return bool(text)
        try:
            return {"whole": int, "number": float}[self.kind](text)
        except (KeyError, ValueError):
            return text

    @property
    def sentence(self) -> str:
        """A sentence on the accepted values."""
        if self.kind == "choice":
            return _("Choose one of the options.")
        if self.kind == "text":
            return _("Enter at most %(most)s characters.") % {"most": self.most}
        limits = {"least": self.least, "above": self.above, "most": self.most}
        bounds = {
            name: number_format(self.text(one), force_grouping=True)
            for name, one in limits.items()
            if one is not None
        }
        if self.above is not None:
            return _("Enter a number above %(above)s, at most %(most)s.") % bounds
        if self.kind == "whole":
            return _("Enter a whole number from %(least)s to %(most)s.") % bounds
        return _("Enter a number from %(least)s to %(most)s.") % bounds


@dataclass(frozen=True)
class Field:
    """A setting in a form."""

    rule: Rule
    text: str
    said: str
    error: str = ""


@dataclass(frozen=True)
class Group:
    """Fields that belong together, and the error between their values."""

    name: str
    words: GroupLabels
    fields: list[Field]
    error: str = ""


@dataclass(frozen=True)
class Change:
    """One setting that differs: its label, and both values for display."""

    label: str
    before: str
    after: str


def _rules(part: type[BaseModel], prefix: str = "") -> Iterator[Rule]:
    for name, info in part.model_fields.items():
        path, annotation = prefix + name, info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from _rules(annotation, f"{path}.")
        else:
            yield Rule(path, _kind(path, annotation), LABELS[path], **_limits(info))


def _kind(path: str, annotation: Any) -> Kind:
    if get_origin(annotation) is Literal or LABELS[path].choices:
        return "choice"
    kinds: dict[Any, Kind] = {bool: "switch", int: "whole", float: "number", str: "text"}
    return kinds[annotation]


def _limits(info: FieldInfo) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    for limit in info.metadata:
        if isinstance(limit, Ge):
            limits["least"] = limit.ge
        elif isinstance(limit, Gt):
            limits["above"] = limit.gt
        elif isinstance(limit, Le):
            limits["most"] = limit.le
        elif isinstance(limit, MaxLen):
            limits["most"] = limit.max_length
    return limits


RULES: Mapping[str, Rule] = {rule.path: rule for rule in _rules(PolicyDocument)}
"""All settings, by path, in the document's order."""


def value_of(document: PolicyDocument, path: str) -> Any:
    """Return the value at a path of the document."""
    value: Any = document
    for name in path.split("."):
        value = getattr(value, name)
    return value


def texts_of(document: PolicyDocument) -> dict[str, str]:
    """Return the document as form texts, by path."""
    return {path: rule.text(value_of(document, path)) for path, rule in RULES.items()}


def asked(posted: Mapping[str, str]) -> dict[str, Any]:
    """Return a submitted form's changes, nested like the document. A browser omits an off
    switch.
    """
    changes: dict[str, Any] = {}
    for path, rule in RULES.items():
        if rule.kind != "switch" and path not in posted:
            continue
        *parts, name = path.split(".")
        place = changes
        for part in parts:
            place = place.setdefault(part, {})
        place[name] = rule.value(posted.get(path, "").strip())
    return changes


def groups(
    document: PolicyDocument,
    posted: Mapping[str, str] | None = None,
    refused: InvalidArguments | None = None,
) -> list[Group]:
    """Return the form, filled with the document or with the submitted values, and an error beside
    each rejected field.
    """
    texts = texts_of(document)
    if posted is not None:
        texts |= {path: posted.get(path, "") for path in RULES}
    wrong = {error.field for error in refused.errors} if refused else set()
    return [
        Group(
            name,
            words,
            [
                Field(
                    rule,
                    texts[path],
                    rule.said(value_of(document, path)),
                    rule.sentence if path in wrong else "",
                )
                for path, rule in RULES.items()
                if rule.group == name
            ],
            str(words.wrong) if name and name in wrong else "",
        )
        for name, words in GROUPS.items()
    ]


def changes(before: PolicyDocument, after: PolicyDocument) -> list[Change]:
    """Return the differences, setting by setting, in the document's order."""
    found = []
    for path, rule in RULES.items():
        old, new = value_of(before, path), value_of(after, path)
        if old != new:
            label = (
                f"{GROUPS[rule.group].title}: {rule.words.label}"
                if rule.group
                else str(rule.words.label)
            )
            found.append(Change(label, rule.said(old), rule.said(new)))
    return found
