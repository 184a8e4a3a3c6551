"""API schemas of model connections and usage."""

import re
from datetime import date, datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from ninja import Field, Schema
from pydantic import BeforeValidator

from foundation.http.requests import Body, example
from foundation.texts.fields import Text
from memory.model_connections.fields import LONGEST
from memory.models import ModelConnection, Purpose

_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Slug = Annotated[str, Field(min_length=1, max_length=60, pattern="^[-a-zA-Z0-9_]+$")]
Name = Annotated[Text, Field(max_length=LONGEST["name"])]
BaseUrl = Annotated[Text, Field(max_length=LONGEST["base_url"])]
Key = Annotated[
    Text,
    Field(
        max_length=LONGEST["key"],
        description="The endpoint's key. It is stored encrypted and never returned.",
    ),
]
Price = Annotated[
    float, Field(ge=0, allow_inf_nan=False, description="US dollars per million tokens.")
]


class ConnectionIn(Body):
    """A connection to add: an OpenAI-compatible endpoint, with its `/v1`."""

    model_config = example(name="Ollama", base_url="http://127.0.0.1:11434/v1", preset="ollama")

    name: Name
    base_url: BaseUrl
    key: Key = ""
    preset: Annotated[Text, Field(max_length=20)] = ""
    price_prompt: Price | None = None
    price_completion: Price | None = None


class ConnectionChangeIn(Body):
    """The changes to a connection; omitted fields stay unchanged. An empty `key` removes the stored
    one."""

    model_config = example(name="My Ollama")

    name: Name = ""
    base_url: BaseUrl = ""
    key: Key = ""
    preset: Annotated[Text, Field(max_length=20)] = ""
    price_prompt: Price | None = None
    price_completion: Price | None = None


class ConnectionTestIn(Body):
    """The model to test with; by default the first one that the endpoint lists."""

    model_config = example(model="qwen3:1.7b")

    model: Annotated[Text, Field(max_length=LONGEST["model"])] = ""


class FiguresOut(Schema):
    """A connection's latest assessments of the last 30 days: their number, median time, 95th
    percentile, and the share of summaries that were replaced.
    """

    assessed: int
    median_ms: float | None
    p95_ms: float | None
    replaced_share: float | None
    is_too_small: bool


class ConnectionOut(Schema):
    """A connection without its key. `failure` is the endpoint's last error, "" after a success."""

    id: UUID
    name: str
    preset: str
    base_url: str
    has_key: bool
    price_prompt: float | None
    price_completion: float | None
    created_at: datetime
    changed_at: datetime
    failure: str
    failing_since: datetime | None
    figures: FiguresOut

    @classmethod
    def of(cls, connection: ModelConnection, figures: object) -> Self:
        """Return the connection with its figures."""
        names = cls.model_fields.keys() - {"has_key", "figures"}
        return cls(
            **{name: getattr(connection, name) for name in names},
            has_key=bool(connection.sealed_key),
            figures=FiguresOut.model_validate(figures, from_attributes=True),
        )


class ConnectionList(Schema):
    """One page of connections; `next` is the cursor of the next page."""

    items: list[ConnectionOut]
    next: str | None


class CheckOut(Schema):
    """One step of a test: its result in words, and its time."""

    name: Literal["reachable", "key", "streams", "tools", "format", "assess", "embeddings"]
    worked: bool
    said: str
    took_ms: float


class ConnectionTestOut(Schema):
    """The steps of a test, the tested model, and the models that the endpoint lists. `works` is
    true if the model answers.
    """

    works: bool
    model: str
    models: list[str]
    checks: list[CheckOut]


PurposeName = Literal["chat", "assess", "embed"]


class ChoiceSpaceIn(Schema):
    """The space of a choice."""

    space: Annotated[
        Slug | None,
        Field(description="The short name of a space; without it, all spaces without a choice."),
    ] = None


class ModelChoiceIn(Body):
    """The model to use, by its connection and its name there."""

    model_config = example(connection_id="5f0c5b9e-5d5a-4a6e-9a55-1f1f3f3c2b11", model="qwen3:1.7b")

    connection_id: UUID
    model: Annotated[Text, Field(max_length=LONGEST["model"])]


class ModelChoiceOut(Schema):
    """The model in effect for a purpose. `embed` is the embedding model of new spaces. A built-in
    chat or assessor has no name."""

    purpose: PurposeName
    model: str
    connection_id: UUID | None
    connection: Annotated[str | None, Field(description="The connection's name.")]
    set_by: Literal["environment", "space", "installation", "built_in"]

    @classmethod
    def of(
        cls,
        purpose: Purpose,
        model: str,
        connection: ModelConnection | None,
        *,
        environment: bool = False,
        for_space: bool = False,
    ) -> Self:
        """Return the model, with the one who set it."""
        chosen = "space" if for_space else "installation" if connection else "built_in"
        return cls.model_validate(
            {
                "purpose": purpose.value,
                "model": model,
                "connection_id": connection.pk if connection else None,
                "connection": connection.name if connection else None,
                "set_by": "environment" if environment else chosen,
            }
        )


class ModelChoiceList(Schema):
    """The model of each purpose; `next` is always null."""

    items: list[ModelChoiceOut]
    next: str | None = None


def _iso_day(day: object) -> object:
    """Raise ValueError for a number: Pydantic would take 0 for 1 January 1970."""
    if isinstance(day, date) or (isinstance(day, str) and _ISO_DAY.fullmatch(day)):
        return day
    raise ValueError("must be a date such as 2026-11-23")


Day = Annotated[date, BeforeValidator(_iso_day)]


class UsageIn(Schema):
    """The first day of the usage to return, in UTC."""

    since: Annotated[
        Day | None, Field(description="The first day, in UTC. By default 30 days ago.")
    ] = None


class UsageOut(Schema):
    """The calls of one day (UTC) for one purpose to one model.

    `failed` calls got no answer. The cost of `unpriced` calls is unknown, so `cost_usd` leaves them
    out. `connection` is null for a model of the environment.
    """

    day: date
    purpose: Literal["chat", "assess", "reconcile", "summarise", "embed"]
    connection: str | None
    model: str
    calls: int
    failed: int
    unpriced: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float

    @staticmethod
    def resolve_connection(usage: object) -> str | None:
        """Return the connection's name, None for a model of the environment."""
        return getattr(usage, "connection_name", "") or None


class UsageList(Schema):
    """The usage of the period, the newest day first; `next` is always null."""

    items: list[UsageOut]
    next: str | None = None
