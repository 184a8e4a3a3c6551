"""A conversation's own settings: memory, ranking profile, model and system prompt, and the
caller's names for its agent and session.

"" means the default of the space's policy or the settings. A choice applies from then on.
"""

from typing import TypedDict

from django.http import QueryDict

from chat.models import MemoryUse
from foundation.errors import FieldError, InvalidArguments
from foundation.texts.forms import composed
from foundation.texts.names import has_control_characters
from foundation.texts.storable import storable
from memory.formulas.ranking import PROFILES

MAX_MODEL, MAX_SYSTEM_PROMPT = 120, 8000


class Choices(TypedDict, total=False):
    """Settings to change; None or a missing key leaves one unchanged."""

    memory: str | None
    profile: str | None
    model: str | None
    system_prompt: str | None
    agent_id: str | None
    session_id: str | None


def chosen(choices: Choices) -> dict[str, str]:
    """Return the given choices as fields of a Conversation; raises InvalidArguments."""
    made = {name: value for name, value in choices.items() if isinstance(value, str)}
    made |= {
        name: composed(made[name].strip()) for name in ("model", "system_prompt") if name in made
    }
    errors = [
        FieldError(name, wrong)
        for name, value in made.items()
        if (wrong := _what_is_wrong(name, value))
    ]
    if errors:
        raise InvalidArguments(*errors)
    return made


def choices_in(form: QueryDict) -> Choices:
    """Return the choices in a form of the playground."""
    return Choices(
        memory=form.get("memory"),
        profile=form.get("profile"),
        model=form.get("model"),
        system_prompt=form.get("system_prompt"),
    )


def _what_is_wrong(name: str, value: str) -> str:
    """Return an error message, or "" for a valid value."""
    if name == "memory" and value not in MemoryUse.values:
        return f"unknown: {value!r}; known: {', '.join(MemoryUse.values)}"
    if name == "profile" and value and value not in PROFILES:
        return f"unknown profile {value!r}; known: {', '.join(PROFILES)}"
    if name == "model" and (len(value) > MAX_MODEL or has_control_characters(value)):
        return f"not a name of at most {MAX_MODEL} characters without control characters"
    if name == "system_prompt" and len(value) > MAX_SYSTEM_PROMPT:
        return f"longer than {MAX_SYSTEM_PROMPT} characters"
    if storable(value) != value:
        return "contains characters that cannot be stored"
    return ""
