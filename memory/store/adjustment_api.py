"""JSON API of the adjustment of a memory's importance."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router

from memory.access.authentication import access_to
from memory.access.references import changeable, one
from memory.formulas.importance import effective_importance
from memory.models.policies import current_policy
from memory.requests import MemoryId
from memory.store.adjustment import adjustment_parts, reset_adjustment
from memory.store.adjustment_schemas import AdjustmentOut, AdjustmentPartOut, ResetOut

router = Router(tags=["memories"])


@router.get(
    "memories/{id}/adjustment",
    response=AdjustmentOut,
    url_name="memories_adjustment",
    operation_id="getAdjustment",
)
def get_adjustment(request: HttpRequest, id: MemoryId) -> AdjustmentOut:
    """Return what was learned about a memory's importance from use and from people's decisions."""
    access = access_to(request, "read")
    memory = one(access.space, access.reader, id)
    learn = current_policy(access.space).document.importance.learn
    current: float = vars(memory)["current_importance"]  # annotated by `one`
    return AdjustmentOut(
        adjustment=memory.adjustment,
        in_effect=learn,
        effective_importance=effective_importance(current, memory.adjustment if learn else 0.0),
        parts=[AdjustmentPartOut(**vars(part)) for part in adjustment_parts(memory)],
    )


@router.delete(
    "memories/{id}/adjustment",
    response=ResetOut,
    url_name="memories_reset_adjustment",
    operation_id="resetAdjustment",
)
def reset(request: HttpRequest, id: MemoryId) -> ResetOut:
    """Reset a memory's adjustment to 0. `POST actions/{action_id}/undo` undoes the reset."""
    access = access_to(request, "write")
    memory, actor = changeable(access.space, access.reader, id), access.actor.in_action()
    done = reset_adjustment(
        space=access.space, memory_id=memory.pk, actor=actor, now=timezone.now()
    )
    return ResetOut(action_id=actor.action_id if done else None)
