"""Decides which model serves a purpose in a space.

The environment comes first, then the space's choice, then the installation's. Callers ask each
time, so that a choice takes effect at once in every process.
"""

import logging
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypedDict
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q

from accounts.models import Space
from foundation.sealing import Unreadable, unseal
from memory.models import ModelChoice, ModelConnection, Purpose

logger = logging.getLogger(__name__)


class Prices(NamedTuple):
    """US dollars per million tokens; None if unknown."""

    prompt: float | None = None
    completion: float | None = None


class ModelConfiguration(TypedDict):
    """Constructor options of a chat model."""

    base_url: str
    api_key: str
    model: str
    prices: Prices
    public_only: bool  # refuses private addresses, also if the name's DNS record has changed


@dataclass(frozen=True)
class ChosenModel:
    """The model for a purpose and its endpoint. `connection` is None if the environment set it."""

    model: str
    base_url: str
    api_key: str = field(repr=False)
    prices: Prices = Prices()
    connection: ModelConnection | None = None
    for_space: bool = False

    @property
    def configuration(self) -> ModelConfiguration:
        """The constructor options of this model."""
        return {
            "base_url": self.base_url,
            "api_key": self.api_key,
            "model": self.model,
            "prices": self.prices,
            "public_only": self.connection is not None and public_only(),
        }

    def named(self, name: str) -> "ChosenModel":
        """Return the model with this name at the same endpoint; "" leaves it."""
        return replace(self, model=name or self.model)

    @property
    def connection_id(self) -> UUID | None:
        """The id of the connection, None if the environment set the model."""
        return self.connection.pk if self.connection else None


def public_only() -> bool:
    """Return whether connections must not lead to private addresses."""
    return not settings.EBB_PRIVATE_ENDPOINTS


def environment_decides() -> bool:
    """Return whether the environment sets the chat and assessor models."""
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


def chosen_model(purpose: Purpose, space: Space | None) -> ChosenModel | None:
    """Return the model for this purpose (one of ANSWERING) in this space or, without one, in spaces
    without a choice of their own. Return None for the built-in one."""
    if environment_decides():
        return _from_environment(purpose)
    rows = Q(space=None) if space is None else Q(space_id=space.pk) | Q(space=None)
    choice = (
        ModelChoice.objects.filter(rows, purpose=purpose)
        .select_related("connection")
        .order_by(F("space_id").asc(nulls_last=True))
        .first()
    )
    return _from_choice(choice) if choice else None


def prices_of(connection: ModelConnection) -> Prices:
    """Return the prices of a connection."""
    return Prices(connection.price_prompt, connection.price_completion)


def key_of(connection: ModelConnection) -> str:
    """Return the connection's key; "" if it has none, or if SECRET_KEY changed (logged)."""
    try:
        return unseal(connection.sealed_key)
    except Unreadable:
        logger.warning("The key of the connection %s cannot be read.", connection.name)
        return ""


def _from_environment(purpose: Purpose) -> ChosenModel:
    names = {Purpose.CHAT: settings.EBB_CHAT_MODEL, Purpose.ASSESS: settings.EBB_ASSESSOR_MODEL}
    return ChosenModel(
        model=names[purpose],
        base_url=settings.OPENAI_BASE_URL,
        api_key=settings.OPENAI_API_KEY,
        prices=_environment_prices(purpose) or Prices(),
    )


def _from_choice(choice: ModelChoice) -> ChosenModel:
    connection = choice.connection
    return ChosenModel(
        model=choice.model,
        base_url=connection.base_url,
        api_key=key_of(connection),
        prices=_environment_prices(Purpose(choice.purpose)) or prices_of(connection),
        connection=connection,
        for_space=choice.space_id is not None,
    )


def _environment_prices(purpose: Purpose) -> Prices | None:
    """Return the assessor model's prices in the environment; None for chat, or if unset."""
    prices = settings.EBB_PRICES if purpose is Purpose.ASSESS else None
    return None if prices is None else Prices(*prices)
