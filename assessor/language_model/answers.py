"""Reads a model's answer as an assessment: repairs what is unambiguous, refuses the rest.

Models without structured output wrap JSON in fences and prose, write Python or JavaScript, or write
`"0.7"` for 0.7 and PREFERENCE for preference. Refuses ambiguous answers: another request costs a
hundredth of a cent, but a wrong memory stays.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any

import json5
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from foundation.texts.fields import Text
from foundation.texts.storable import storable
from memory.drafts import Content, Facets, MemoryTypeName, Tag, Topic
from memory.formulas.importance import DEFAULT_TYPE, MEMORY_TYPES

MAX_TAGS, MAX_TOPICS = 10, 5  # seed 001, System Prompt
# A reasoning model's thoughts may contain JSON that is not the answer. Some endpoints drop the
# opening tag, and a model that ran out of tokens never writes the closing one.
_THOUGHT = re.compile(
    r"(?:\A|<think(?:ing)?>).*?</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE
)
# Line breaks inside strings are common and unambiguous.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=lambda pairs: _each_once(pairs))
_NUMBER = re.compile(r"\A\s*+([+-]?(?:\d++(?:\.\d++)?|\.\d++))\s*+(%?)\s*+")
# Other names that models give the fields.
_NAMES = {
    "type": "memory_type", "category": "memory_type", "reason": "reasoning",
    "p": "P", "i": "I", "j": "J",
}  # fmt: skip


def json_object(text: str) -> dict[str, Any]:
    """Return the one JSON object in an answer, with the rubrics' field names.

    Raises ValueError if there is none, or more than one candidate.
    """
    if not text.lstrip().startswith("{"):  # a summary may mention the tag
        text = _THOUGHT.sub("", text)
    try:
        found = [_unwrapped(value) for value in _objects(text)] or [_unwrapped(_lenient(text))]
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if len(found) > 1:
        raise ValueError("more than one JSON object")
    fields: dict[str, Any] = {}
    for name, value in found[0].items():
        name = str(name).strip().lower()
        if fields.setdefault(_NAMES.get(name, name), value) is not value:
            raise ValueError(f"{name} is given twice")
    return fields


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields as a dict; raises ValueError for a duplicate field."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield every outermost JSON object in the text that is not empty."""
    place = text.find("{")
    while place >= 0:
        try:
            value, end = _DECODER.raw_decode(text, place)
        except ValueError:
            value, end = None, place + 1  # a brace in a sentence
        if value:
            yield value
        place = text.find("{", end)


def _lenient(text: str) -> Any:
    """Parse JSON as people and Python write it: single quotes, trailing commas, comments, None."""
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end:
        raise ValueError("no JSON object")
    return json5.loads(
        re.sub(r"(?<=[:,\[ ])None(?=\s*[,}\]])", "null", text[start : end + 1]),
        allow_duplicate_keys=False,
    )


def _unwrapped(value: Any) -> dict[str, Any]:
    """Unwrap `{"assessment": {...}}`: a single field whose value is an object."""
    while isinstance(value, dict) and len(value) == 1:
        [inner] = value.values()
        if not isinstance(inner, dict):
            break
        value = inner
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _number(value: Any) -> Any:
    """Return 0.7 for "0.7" and for "70%"; raises ValueError for a bool.

    Leaves 7 as it is: its scale could be ten or a hundred.
    """
    if isinstance(value, bool):
        raise ValueError("must be a number")
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value)):
        return float(match.group(1)) / (100 if match.group(2) else 1)
    return value


def _type_name(value: Any) -> Any:
    """Normalise a type name: `preference` for "Preference" or "preferences", `todo` for "to-do"."""
    if value is None:
        return DEFAULT_TYPE
    name = re.sub(r"[\W_]", "", str(value).lower())
    return next((known for known in MEMORY_TYPES if name in {known, f"{known}s"}), value)


def _list(value: Any) -> Any:
    """Return a list, also for null or one text separated by commas."""
    if value is None:
        return []
    return re.split(r"[,;，、；\n]", value) if isinstance(value, str) else value


def _texts(value: Any) -> Any:
    """Return the list's distinct texts in order, without blanks and leading # signs."""
    if not isinstance(value, list) or not all(
        item is None or isinstance(item, str) for item in value
    ):
        return value
    texts = (item.strip().lstrip("#").strip() for item in value if item)
    return list(dict.fromkeys(text for text in texts if text))


def _all_tags(value: Any) -> Any:
    texts = _texts(_list(value))
    if not isinstance(texts, list):
        return texts
    return _texts([text.lower() if isinstance(text, str) else text for text in texts])


def _all_topics(value: Any) -> Any:
    return _texts([value] if isinstance(value, str) else _list(value))


def _tags(value: Any) -> Any:
    texts = _all_tags(value)
    return texts[:MAX_TAGS] if isinstance(texts, list) else texts


def _topics(value: Any) -> Any:
    texts = _all_topics(value)
    return texts[:MAX_TOPICS] if isinstance(texts, list) else texts


def omitted_from(answer: str) -> dict[str, list[str]]:
    """Return the tags and topics of a valid answer that exceed the limits, so that none is dropped
    silently (seed 001: "1-10 tags maximum", "0-5 topics maximum").
    """
    fields = json_object(answer)
    return {
        "tags": list(map(storable, _all_tags(fields.get("tags"))[MAX_TAGS:])),
        "topics": list(map(storable, _all_topics(fields.get("topics"))[MAX_TOPICS:])),
    }


def as_required(schema: dict[str, Any]) -> None:
    """Make every field required and forbid others, as structured output expects.

    Ebb still reads answers in which fields are missing.
    """
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False
    for described in schema["properties"].values():
        described.pop("default", None)


def _sureness(value: Any) -> Any:
    """Return a share in [0, 1], or None for any other value, such as "high".

    The confidence is optional, so a bad value does not invalidate the answer.
    """
    with suppress(ValueError):
        value = _number(value)
        if isinstance(value, int | float) and 0 <= value <= 1:
            return value
    return None


def schema_of(form: type[BaseModel], *, confidence: bool) -> dict[str, Any]:
    """Return the JSON schema that the model must follow, with the confidence only if requested."""
    schema = form.model_json_schema()
    if not confidence:
        del schema["properties"]["confidence"]
        schema["required"].remove("confidence")
    return schema


_Number = BeforeValidator(_number)
_Share = Annotated[float, _Number, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class _Answer(BaseModel):
    """Fields that both rubrics share.

    Seed 001's own form has no type, so it defaults to observation.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra=as_required)

    memory_type: Annotated[MemoryTypeName, BeforeValidator(_type_name)] = DEFAULT_TYPE
    summary: Annotated[Content, Field(max_length=2_000)]
    tags: Annotated[list[Tag], BeforeValidator(_tags), Field(min_length=1, max_length=MAX_TAGS)]
    topics: Annotated[list[Topic], BeforeValidator(_topics), Field(max_length=MAX_TOPICS)] = []
    reasoning: Annotated[Text, BeforeValidator(lambda value: value or "")] = ""
    # The model's confidence; None if not requested or not given. The seed's form does not have it.
    confidence: Annotated[float | None, BeforeValidator(_sureness)] = Field(
        None, ge=0.0, le=1.0, exclude=True
    )

    @model_validator(mode="before")
    @classmethod
    def _read(cls, answer: Any) -> Any:
        return json_object(answer) if isinstance(answer, str) else answer


class MemoryAssessment(_Answer):
    """A model's assessment of an exchange by the rubric `graded` (seed 001)."""

    importance: _Share


class FacetAssessment(_Answer):
    """A model's assessment of an exchange by the rubric `facets` (seed 003, section 2)."""

    P: _Share
    valence: Annotated[float, _Number, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]
    intensity: _Share
    I: _Share  # noqa: E741 - the seed's own name
    J: _Share

    @property
    def facets(self) -> Facets:
        """The five facet values as one object."""
        return Facets(P=self.P, I=self.I, J=self.J, valence=self.valence, intensity=self.intensity)
