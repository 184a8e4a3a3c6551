"""What a conversation may go by of its own: memory, ranking profile, model and system prompt.

"" is what the space's policy or the settings say. What is chosen holds from then on.
"""

import re
from typing import TypedDict

from django.http import QueryDict

from assessor.storable import storable
from chat.models import MemoryUse
from memory.errors import FieldError, InvalidArguments
from memory.formulas.ranking import PROFILES

MAX_MODEL, MAX_SYSTEM_PROMPT = 120, 8000
CONTROL_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f]")


class Choices(TypedDict, total=False):
    """None, or nothing, leaves what holds."""

    memory: str | None
    profile: str | None
    model: str | None
    system_prompt: str | None


def chosen(choices: Choices) -> dict[str, str]:
    """The choices that were made, as fields of a Conversation; raises InvalidArguments."""
    made = {name: value for name, value in choices.items() if isinstance(value, str)}
    made |= {name: made[name].strip() for name in ("model", "system_prompt") if name in made}
    errors = [
        FieldError(name, wrong)
        for name, value in made.items()
        if (wrong := _what_is_wrong(name, value))
    ]
    if errors:
        raise InvalidArguments(*errors)
    return made


def choices_in(form: QueryDict) -> Choices:
    """The choices that a form of the playground sends."""
    return Choices(
        memory=form.get("memory"),
        profile=form.get("profile"),
        model=form.get("model"),
        system_prompt=form.get("system_prompt"),
    )


def _what_is_wrong(name: str, value: str) -> str:
    """A sentence, or nothing."""
    if name == "memory" and value not in MemoryUse.values:
        return f"unknown: {value!r}; known: {', '.join(MemoryUse.values)}"
    if name == "profile" and value and value not in PROFILES:
        return f"unknown profile {value!r}; known: {', '.join(PROFILES)}"
    if name == "model" and (len(value) > MAX_MODEL or CONTROL_CHARACTERS.search(value)):
        return f"not a name of at most {MAX_MODEL} characters without control characters"
    if name == "system_prompt" and len(value) > MAX_SYSTEM_PROMPT:
        return f"longer than {MAX_SYSTEM_PROMPT} characters"
    if storable(value) != value:
        return "holds characters that cannot be stored"
    return ""
