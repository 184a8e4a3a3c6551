"""The policy of a space as a document: the policy of docs/api.md, with its defaults.

Every version is stored whole (models.PolicyVersion), so a memory's removal can be explained by the
policy that was in effect at the time.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from foundation.errors import refused
from memory.formulas.ranking import DEFAULT_PROFILE, PROFILES
from memory.formulas.retention import Tiers

SHORTEST_SCALE = 1e-6
"""In days: a tenth of a second. An age divided by much less overflows a float."""
LOWEST_FLOOR = 0.8
_STORED = "stored"


class _Part(BaseModel):
    # strict: neither "5" nor true is a number.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @field_validator("*", mode="before")
    @classmethod
    def _whole_number(cls, value: Any, info: ValidationInfo) -> Any:
        """Return 5 for 5.0: JSON has one kind of number."""
        asks_int = cls.model_fields[info.field_name or ""].annotation is int
        return int(value) if asks_int and isinstance(value, float) and value.is_integer() else value


class TtlPolicy(_Part):
    """Lifetime of memories by importance (seed 001). Days may be fractions, 0 included."""

    permanent_threshold: float = Field(default=0.7, ge=0.0, le=1.0)
    medium_threshold: float = Field(default=0.5, ge=0.0, le=1.0)
    low_threshold: float = Field(default=0.3, ge=0.0, le=1.0)
    medium_days: float = Field(default=30, ge=0.0, le=36500.0)
    low_days: float = Field(default=7, ge=0.0, le=36500.0)
    very_low_days: float = Field(default=3, ge=0.0, le=36500.0)
    renew_on_use: bool = True
    # Memories with facets follow P, persistence (seed 003, section 2.1), instead of importance.
    by_persistence: bool = True
    # A plan has P = 0.5, everyday life 0.1: the boundary between them (Tiers) needs no setting.
    permanent_persistence: float = Field(default=0.75, ge=0.3, le=1.0)
    # A use restarts the lifetime if the answer used the memory, or whenever it was sent.
    renew_when: Literal["supported", "sent"] = "supported"

    @model_validator(mode="after")
    def _thresholds_fall(self) -> "TtlPolicy":
        if not self.permanent_threshold >= self.medium_threshold >= self.low_threshold:
            raise ValueError("thresholds must decrease: permanent ≥ medium ≥ low")
        return self

    @property
    def tiers(self) -> Tiers:
        """The thresholds and lifetimes for the formulas."""
        return Tiers(**self.model_dump(exclude={"renew_on_use", "renew_when"}))


class DecayPolicy(_Part):
    """Fading of importance with time (seed 003, section 4).

    The seed keeps `timeCoef` from 0.8 to 1. Policies stored before this bound was checked may have
    a lower floor; it is read as 0.8.
    """

    floor: float = Field(default=0.8, ge=LOWEST_FLOOR, le=1.0)
    scale_days: float = Field(default=30, ge=SHORTEST_SCALE, le=36500.0)

    @field_validator("floor", mode="before")
    @classmethod
    def _raise_stored(cls, floor: Any, info: ValidationInfo) -> Any:
        if info.context == _STORED and isinstance(floor, int | float):
            return max(float(floor), LOWEST_FLOOR)
        return floor


class ImportancePolicy(_Part):
    """Learning of importance from use (docs/importance.md)."""

    # The adjustment takes part in ranking and in the order of removal.
    learn: bool = False


class RecallPolicy(_Part):
    """Search of memories, and the number sent to the model."""

    profile: str = Field(default=DEFAULT_PROFILE, json_schema_extra={"enum": list(PROFILES)})
    limit: int = Field(default=3, ge=1, le=50)
    candidate_limit: int = Field(default=300, ge=1, le=10_000)
    recency_scale_days: float = Field(default=30, ge=SHORTEST_SCALE, le=36500.0)
    min_score: float = Field(default=0, ge=0.0, le=10.0)
    # The least probability that a memory helps, for it to be sent to the model.
    min_relevance: float = Field(default=0.2, ge=0.0, le=1.0)
    # The number of memories that say how to answer, sent with every message.
    standing: int = Field(default=3, ge=0, le=20)
    # How to answer everyone. A member's own wish applies to this member only.
    answering: str = Field(default="", max_length=500, pattern=r"^[^\x00]*$")
    # The form in which memories are sent to the model (memory/recall/prompt_forms.py).
    form: Literal["auto", "list", "summaries"] = "auto"
    # Write the age beside the day: "2026-02-18, 3 days ago".
    relative_dates: bool = False

    @model_validator(mode="after")
    def _profile_is_known(self) -> "RecallPolicy":
        if self.profile not in PROFILES:
            raise ValueError(f"unknown profile: {self.profile}")
        return self


class AssessmentPolicy(_Part):
    """The assessor of exchanges and the time of assessment (seed 001)."""

    enabled: bool = True
    provider: Literal["auto", "llm", "local", "cascade"] = "auto"
    rubric: Literal["facts", "graded", "facets"] = "facts"
    # Each fact becomes a memory, or an exchange becomes one (seed 001).
    facts: Literal["separate", "one"] = "separate"
    trigger: Literal["every_exchange", "topic_change"] = "every_exchange"
    idle_minutes: float = Field(default=30, gt=0.0, le=10_080)
    # The timeout of the first attempt (seed 001). Each further attempt waits three times as long,
    # at most `max_wait_seconds`.
    timeout_seconds: float = Field(default=5, gt=0.0, le=300)
    max_wait_seconds: float = Field(default=120, gt=0.0, le=3600)
    # Whether the built-in assessor takes over after the last attempt.
    fallback: bool = True
    store_above: float = Field(default=0.2, ge=0.0, le=1.0)
    # Sends attempts to steer the assessor or to plant instructions to review (docs/safety.md).
    review: bool = True
    # Send assessments below this confidence, and contradictions to known memories, to review.
    review_below_confidence: float = Field(default=0, ge=0.0, le=1.0)
    hold_conflicts: bool = False
    mask_secrets: bool = True

    def timeout_of(self, attempt: int) -> float:
        """Return the timeout of this attempt, in seconds; the first attempt is 1."""
        longest = max(self.timeout_seconds, self.max_wait_seconds)
        return float(min(self.timeout_seconds * 3.0 ** (attempt - 1), longest))

    def attempt_within(self, seconds: float) -> int:
        """Return the first attempt that waits at least this long, or as long as any attempt."""
        longest = max(self.timeout_seconds, self.max_wait_seconds)
        attempt = 1
        while self.timeout_of(attempt) < min(seconds, longest):
            attempt += 1
        return attempt


class ConsolidationPolicy(_Part):
    """Merging, summarising and replacing memories that belong together (docs/consolidation.md)."""

    mode: Literal["off", "propose", "automatic"] = "off"
    # In the mode `automatic`: proposals below this confidence wait for a person.
    min_confidence: float = Field(default=0.9, ge=0.0, le=1.0)
    # The most summaries that a connected model writes in one run; the built-in ones follow.
    model_calls: int = Field(default=20, ge=0, le=10_000)


class PolicyDocument(_Part):
    """The whole policy of a space."""

    language: str = Field(default="en", pattern=r"^[a-z]{2}$")
    capacity: int = Field(default=800, ge=1, le=100_000_000)
    grace_hours: float = Field(default=24, ge=0.0, le=87_600)
    bin_days: float = Field(default=30, ge=0.0, le=36500.0)
    ttl: TtlPolicy = TtlPolicy()
    decay: DecayPolicy = DecayPolicy()
    importance: ImportancePolicy = ImportancePolicy()
    recall: RecallPolicy = RecallPolicy()
    assessment: AssessmentPolicy = AssessmentPolicy()
    consolidation: ConsolidationPolicy = ConsolidationPolicy()


def stored_document(document: Mapping[str, Any] | str) -> PolicyDocument:
    """Return the policy that a table or a file contains, as an object or as JSON text.

    Fields that this version does not have are ignored: a newer Ebb wrote them. A change keeps them
    (`merged`).
    """
    values = json.loads(document) if isinstance(document, str) else document
    if isinstance(values, Mapping):
        values = _known(PolicyDocument, values)
    return PolicyDocument.model_validate(values, context=_STORED)


def _known(part: type[_Part], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the fields that this part of the policy has."""
    known: dict[str, Any] = {}
    for name, field in part.model_fields.items():
        if name in values:
            value, kind = values[name], field.annotation
            if isinstance(kind, type) and issubclass(kind, _Part) and isinstance(value, Mapping):
                value = _known(kind, value)
            known[name] = value
    return known


def changed(document: PolicyDocument, changes: Mapping[str, Any]) -> PolicyDocument:
    """Return the document with these changes merged in deeply, validated as a whole.

    Raises InvalidArguments, each error with the path of its field ("ttl.medium_days").
    """
    try:
        return PolicyDocument.model_validate(merged(document.model_dump(), changes))
    except ValidationError as error:
        raise refused(error, whole="body") from None


def merged(old: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with these changes merged in deeply; neither is validated."""
    new = {
        name: merged(old[name], value)
        if isinstance(value, Mapping) and isinstance(old.get(name), Mapping)
        else value
        for name, value in changes.items()
    }
    return {**old, **new}
