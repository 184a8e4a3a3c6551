"""JSON API of the models chosen for each purpose, for an installation key or an operator's
session."""

from collections.abc import Sequence
from typing import Annotated

from django.http import HttpRequest
from django.utils import timezone
from ninja import Path, Query, Router, Status

from accounts.authentication import BearerKey, OperatorSession, operator_of
from accounts.models import Space
from foundation.errors import NotFound
from foundation.http.requests import may_fail
from memory.embeddings.embedders import choose_for_new_spaces
from memory.model_connections import services
from memory.model_connections.choosing import chosen_model
from memory.model_connections.embedding import (
    choice_for_new_spaces,
    environment_decides_embeddings,
    model_of_new_spaces,
)
from memory.model_connections.schemas import (
    ChoiceSpaceIn,
    ModelChoiceIn,
    ModelChoiceList,
    ModelChoiceOut,
    PurposeName,
)
from memory.models import ANSWERING, Purpose

router = Router(tags=["connections"], auth=[BearerKey(), OperatorSession()])

PurposePath = Annotated[PurposeName, Path(description="The purpose of the model.")]


@router.get(
    "model-choices",
    response=ModelChoiceList,
    url_name="model_choices_list",
    operation_id="listModelChoices",
    openapi_extra=may_fail(404),
)
def list_choices(request: HttpRequest, asked: Query[ChoiceSpaceIn]) -> ModelChoiceList:
    """List the model in effect for each purpose, in one space or in all spaces without a choice.
    Needs an installation key.
    """
    operator_of(request)
    space = _space(asked.space)
    purposes: Sequence[Purpose] = ANSWERING if space else list(Purpose)
    return ModelChoiceList(items=[_in_effect(one, space) for one in purposes])


@router.patch(
    "model-choices/{purpose}",
    response=ModelChoiceOut,
    url_name="model_choices_set",
    operation_id="chooseModel",
    openapi_extra=may_fail(404, 503),
)
def choose_model(
    request: HttpRequest, purpose: PurposePath, asked: Query[ChoiceSpaceIn], body: ModelChoiceIn
) -> ModelChoiceOut:
    """Choose a connection's model, at once for all processes. `embed` sets the model of new spaces
    and asks it for a vector first. Needs an installation key."""
    change = services.Change(operator_of(request), timezone.now())
    space, connection_id = _space(asked.space), body.connection_id
    if purpose == "embed" and space is None:
        choose_for_new_spaces(connection_id=connection_id, model=body.model, change=change)
    else:
        services.choose_model(
            purpose=purpose,
            space=space,
            connection_id=connection_id,
            model=body.model,
            change=change,
        )
    return _in_effect(Purpose(purpose), space)


@router.delete(
    "model-choices/{purpose}",
    response={204: None},
    url_name="model_choices_remove",
    operation_id="removeModelChoice",
    openapi_extra=may_fail(404),
)
def remove_choice(
    request: HttpRequest, purpose: PurposePath, asked: Query[ChoiceSpaceIn]
) -> Status[None]:
    """Remove the choice of one space, or the choice for all spaces. Needs an installation key."""
    change = services.Change(operator_of(request), timezone.now())
    services.remove_choice(purpose=purpose, space=_space(asked.space), change=change)
    return Status(204, None)


def _space(slug: str | None) -> Space | None:
    if slug is None:
        return None
    space = Space.objects.filter(closed_at=None, slug=slug).first()
    if space is None:
        raise NotFound("Space not found.")
    return space


def _in_effect(purpose: Purpose, space: Space | None) -> ModelChoiceOut:
    """Return the model that serves the purpose, and who decided it."""
    if purpose is Purpose.EMBED:
        choice, (_provider, model) = choice_for_new_spaces(), model_of_new_spaces()
        by = choice.connection if choice else None
        return ModelChoiceOut.of(purpose, model, by, environment=environment_decides_embeddings())
    chosen = chosen_model(purpose, space)
    if chosen is None:
        return ModelChoiceOut.of(purpose, "", None)
    return ModelChoiceOut.of(
        purpose,
        chosen.model,
        chosen.connection,
        environment=chosen.connection is None,
        for_space=chosen.for_space,
    )
