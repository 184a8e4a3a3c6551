"""Labels of the policy's settings and of their groups: the types of memory.policies.labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True)
class Labels:
    """A setting for display: its name, help text and unit, and the text of each choice.

    `one` is the unit of 1, as in "1 day". `names` are shorter texts of the choices, for a sentence.
    """

    label: _StrPromise
    hint: _StrPromise
    unit: _StrPromise | str = ""
    one: _StrPromise | str = ""
    choices: Mapping[str, _StrPromise | str] = field(default_factory=dict)
    names: Mapping[str, _StrPromise] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupLabels:
    """Settings that belong together; `wrong` is the error if their values conflict."""

    title: _StrPromise
    intro: _StrPromise
    wrong: _StrPromise | str = ""
