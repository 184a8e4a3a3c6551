"""The rubric `facts`: little is asked of the model, so that small ones answer well and quickly.

The prompt is short, examples show the rest, and the answer is a list of facts in the person's own
words. Prompt and examples are in facts.toml.
"""

import json
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from operator import itemgetter
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from assessor.facts import Fact
from assessor.language_model.answers import (
    MemoryAssessment,
    Share,
    as_required,
    json_object,
    type_name,
)
from assessor.language_model.grounding import is_grounded
from assessor.llm import ChatMessage
from assessor.local.tagging import find_tags, find_topics
from memory.drafts import Content, MemoryTypeName
from memory.formulas.importance import DEFAULT_TYPE
from memory.models import Reason
from reader.sentences import question_before

MOST_TOKENS = 400
SHOWN = 300
SHORT = 8
"""Words of a message that may be no more than the answer to a question."""


class _Fact(BaseModel):
    """One fact about the person, in their own words."""

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra=as_required)

    importance: Share
    memory_type: Annotated[MemoryTypeName, BeforeValidator(type_name), Field(alias="type")] = (
        DEFAULT_TYPE
    )
    text: Annotated[Content, Field(max_length=200)]


class Facts(BaseModel):
    """The answer of a model by the rubric `facts`."""

    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_extra=as_required)

    facts: Annotated[list[_Fact], Field(max_length=6)]

    @model_validator(mode="before")
    @classmethod
    def _read(cls, answer: Any) -> Any:
        return json_object(answer) if isinstance(answer, str) else answer

    def each_once(self) -> list[Fact]:
        """Return the facts of the answer, each text once."""
        once = {fact.text: fact for fact in self.facts}.values()
        return [
            Fact(
                text=fact.text,
                importance=fact.importance,
                memory_type=fact.memory_type,
                tags=find_tags(fact.text, fact.memory_type),
                topics=find_topics(fact.text),
            )
            for fact in once
        ]


def schema(least: int) -> dict[str, Any]:
    """Return the schema of an answer with at least so many facts."""
    form = Facts.model_json_schema()
    form["properties"]["facts"]["minItems"] = least
    return form


def _script(text: str) -> str:
    """Return the script of most letters, "" without any."""
    names = (unicodedata.name(letter, "").partition(" ")[0] for letter in text if letter.isalpha())
    return max(Counter(names).items(), key=itemgetter(1), default=("", 0))[0]


def _signs(text: str) -> set[str]:
    """Return the words of a text and its letters that English does not have."""
    folded = text.lower()
    return {*re.split(r"\W+", folded), *(letter for letter in folded if not letter.isascii())}


def _shown(message: str, earlier: str = "") -> str:
    return f"Asked before: {earlier}\nMessage: {message}" if earlier else f"Message: {message}"


def _turns(example: Mapping[str, Any]) -> list[ChatMessage]:
    facts = [
        dict(zip(("importance", "type", "text"), fact, strict=True)) for fact in example["facts"]
    ]
    answer = json.dumps({"facts": facts}, ensure_ascii=False)
    asked = _shown(example["message"], example.get("earlier", ""))
    return [ChatMessage("user", asked), ChatMessage("assistant", answer)]


_DATA = tomllib.loads(resources.files(__package__).joinpath("facts.toml").read_text("utf-8"))
SYSTEM: str = _DATA["system"]
_ALWAYS = [
    ChatMessage("system", SYSTEM),
    *(turn for example in _DATA["always"] for turn in _turns(example)),
]
_OWN = [
    (_script(example["message"]), _signs(example.get("signs", "")), _turns(example))
    for example in _DATA["own"]
]


def question(message: str, earlier: Sequence[str]) -> list[ChatMessage]:
    """Return the messages that ask for the facts: what is the same for all, an example in the
    language of the message, and the message.
    """
    script, signs = _script(message), _signs(message)
    *_, example = max(_OWN, key=lambda own: (own[0] == script, len(own[1] & signs)))
    return [
        *_ALWAYS,
        *example,
        ChatMessage("user", _shown(message, asked_before(message, earlier))),
    ]


def asked_before(message: str, earlier: Sequence[str]) -> str:
    """Return the question that a short message answers, "" if none: “yes, two” says nothing
    without it.
    """
    return question_before(earlier) if len(message.split()) <= SHORT else ""


def supported(found: Sequence[Fact], said: str) -> list[Fact]:
    """Return the facts that the words `said` contain."""
    return [fact for fact in found if is_grounded(fact.text, said)]


def joined(facts: Sequence[Fact], message: str) -> MemoryAssessment:
    """Return the facts as one assessment; without any, the message and no importance."""
    if not facts:
        return MemoryAssessment(
            importance=0.0,
            summary=message.strip()[:SHOWN] or "…",
            tags=[DEFAULT_TYPE],
            confidence=None,
            reasoning=str(Reason("no_fact")),
        )
    best = max(facts, key=lambda fact: fact.importance)
    summary = "\n".join(_ended(fact.text) for fact in facts)
    return MemoryAssessment(
        importance=best.importance,
        memory_type=best.memory_type,
        summary=summary,
        tags=find_tags(summary, best.memory_type),
        topics=find_topics(summary),
        confidence=None,
    )


def _ended(sentence: str) -> str:
    return f"{sentence}." if sentence[-1].isalnum() else sentence
