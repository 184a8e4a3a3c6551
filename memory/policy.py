"""The policy of a space as a document: the policy of docs/api.md, with its defaults.

Every version is stored whole (models.PolicyVersion), so a memory's removal can be explained by the
policy that was in effect at the time.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from memory.errors import refused
from memory.formulas.ranking import DEFAULT_PROFILE, PROFILES
from memory.formulas.retention import Tiers

SHORTEST_SCALE = 1e-6
"""In days: a tenth of a second. An age divided by much less overflows a float."""


class _Part(BaseModel):
    # strict: neither "5" nor true is a number.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TtlPolicy(_Part):
    """Lifetime of memories by importance (seed 001). Days may be fractions, 0 included."""

    permanent_threshold: float = Field(default=0.7, ge=0.0, le=1.0)
    medium_threshold: float = Field(default=0.5, ge=0.0, le=1.0)
    low_threshold: float = Field(default=0.3, ge=0.0, le=1.0)
    medium_days: float = Field(default=30, ge=0.0, le=36500.0)
    low_days: float = Field(default=7, ge=0.0, le=36500.0)
    very_low_days: float = Field(default=3, ge=0.0, le=36500.0)
    renew_on_use: bool = True

    @model_validator(mode="after")
    def _thresholds_fall(self) -> "TtlPolicy":
        if not self.permanent_threshold >= self.medium_threshold >= self.low_threshold:
            raise ValueError("thresholds must decrease: permanent ≥ medium ≥ low")
        return self

    @property
    def tiers(self) -> Tiers:
        """The thresholds and lifetimes for the formulas."""
        return Tiers(**self.model_dump(exclude={"renew_on_use"}))


class DecayPolicy(_Part):
    """Fading of importance with time (seed 003, section 4)."""

    floor: float = Field(default=0.8, ge=0.0, le=1.0)
    scale_days: float = Field(default=30, ge=SHORTEST_SCALE, le=36500.0)


class RecallPolicy(_Part):
    """Search of memories, and the number sent to the model."""

    profile: str = Field(default=DEFAULT_PROFILE, json_schema_extra={"enum": list(PROFILES)})
    limit: int = Field(default=3, ge=1, le=50)
    candidate_limit: int = Field(default=300, ge=1, le=10_000)
    recency_scale_days: float = Field(default=30, ge=SHORTEST_SCALE, le=36500.0)
    min_score: float = Field(default=0, ge=0.0, le=10.0)
    # The form in which memories are sent to the model (memory/recall/prompt_forms.py).
    form: Literal["auto", "list", "summaries"] = "auto"

    @model_validator(mode="after")
    def _profile_is_known(self) -> "RecallPolicy":
        if self.profile not in PROFILES:
            raise ValueError(f"unknown profile: {self.profile}")
        return self


class AssessmentPolicy(_Part):
    """The assessor of exchanges and the time of assessment (seed 001)."""

    enabled: bool = True
    provider: Literal["auto", "llm", "local", "cascade"] = "auto"
    rubric: Literal["graded", "facets"] = "graded"
    trigger: Literal["every_exchange", "topic_change"] = "every_exchange"
    idle_minutes: float = Field(default=30, gt=0.0, le=10_080)
    timeout_seconds: float = Field(default=5, gt=0.0, le=300)
    store_above: float = Field(default=0.2, ge=0.0, le=1.0)
    # Sends attempts to steer the assessor or to plant instructions to review (docs/safety.md).
    review: bool = True
    # Send assessments below this confidence, and contradictions to known memories, to review.
    review_below_confidence: float = Field(default=0, ge=0.0, le=1.0)
    hold_conflicts: bool = False
    mask_secrets: bool = True


class PolicyDocument(_Part):
    """The whole policy of a space."""

    language: str = Field(default="en", pattern=r"^[a-z]{2}$")
    capacity: int = Field(default=800, ge=1, le=100_000_000)
    grace_hours: float = Field(default=24, ge=0.0, le=87_600)
    bin_days: float = Field(default=30, ge=0.0, le=36500.0)
    ttl: TtlPolicy = TtlPolicy()
    decay: DecayPolicy = DecayPolicy()
    recall: RecallPolicy = RecallPolicy()
    assessment: AssessmentPolicy = AssessmentPolicy()


def changed(document: PolicyDocument, changes: Mapping[str, Any]) -> PolicyDocument:
    """Return the document with these changes merged in deeply, validated as a whole.

    Raises InvalidArguments, each error with the path of its field ("ttl.medium_days").
    """
    try:
        return PolicyDocument.model_validate(_merged(document.model_dump(), changes))
    except ValidationError as error:
        raise refused(error, whole="body") from None


def _merged(old: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = {
        name: _merged(old[name], value)
        if isinstance(value, Mapping) and isinstance(old.get(name), Mapping)
        else value
        for name, value in changes.items()
    }
    return {**old, **merged}
