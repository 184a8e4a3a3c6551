"""Schemas of the adjustment of a memory's importance."""

from typing import Annotated, Literal
from uuid import UUID

from ninja import Field, Schema


class AdjustmentPartOut(Schema):
    """The part of the adjustment that events of one kind give."""

    kind: Annotated[
        Literal["used", "unused", "confirmed", "objected"],
        Field(
            description="The events: answers that used the memory, answers that did not use it "
            "although it was sent, and people's decisions for it or against it."
        ),
    ]
    count: int
    value: float


class AdjustmentOut(Schema):
    """The adjustment of a memory's importance; its parts add up to it."""

    adjustment: Annotated[float, Field(description="From -0.15 to 0.15.")]
    in_effect: Annotated[bool, Field(description="Whether the policy's `importance.learn` is on.")]
    effective_importance: Annotated[
        float,
        Field(
            description="The value that ranks the memory: its current importance, plus the "
            "adjustment if that is in effect."
        ),
    ]
    parts: list[AdjustmentPartOut]


class ResetOut(Schema):
    """The action of a reset, which can be undone; null if there was nothing to reset."""

    action_id: UUID | None
