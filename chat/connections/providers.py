"""The chat, assessor and embedding models of a space, for display.

Keys are never shown, only their presence and their variable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from chat.connections import assessor_model
from memory.embeddings import provider_name
from memory.model_connections.choosing import ChosenModel, chosen_model
from memory.model_connections.embedding import PREFIX, connection_of, model_of_new_spaces
from memory.models import ModelConnection, Purpose

_PURPOSES = {"chat": Purpose.CHAT, "assessor": Purpose.ASSESS}
OWN_ADDRESSES = {"openai": "https://api.openai.com/v1", "voyage": ""}


@dataclass(frozen=True)
class Setting:
    """One value and its environment variable, "" for the default.

    `variables` are the variables that can set it, the preferred one first.
    """

    value: str
    origin: str
    variables: tuple[str, ...]

    @property
    def variable(self) -> str:
        """The variable to change for another value."""
        return self.origin or self.variables[0]


@dataclass(frozen=True)
class Part:
    """One of the models that Ebb uses.

    `dimensions` is the required length of its vectors, None if any length fits or it makes none.
    `chosen` is the chat or assessor model, None for the built-in one and for embeddings.
    The assessor has its `cost` in words, and a `small_model` to suggest, "" for none.
    """

    name: str
    title: Any
    purpose: Any
    provider: str
    model: Setting
    address: Setting
    key: Setting
    dimensions: int | None = None
    chosen: ChosenModel | None = None
    cost: Any = ""
    small_model: str = ""

    @property
    def connection(self) -> ModelConnection | None:
        """The connection of the model, None if there is none."""
        return self.chosen.connection if self.chosen else None

    @property
    def by_connection(self) -> bool:
        """True if a model connection makes the space's embeddings."""
        return self.provider.startswith(PREFIX)

    @property
    def choice_of(self) -> str:
        """The purpose whose choice decides this part, "" for none."""
        if self.connection:
            return _PURPOSES[self.name]
        return Purpose.EMBED if self.name == "new_embeddings" and self.by_connection else ""

    @property
    def for_space(self) -> bool:
        """True if the choice is the space's own."""
        return self.chosen is not None and self.chosen.for_space

    @property
    def embeds(self) -> bool:
        """True if the part makes embeddings."""
        return self.name not in {"chat", "assessor"}

    @property
    def is_built_in(self) -> bool:
        """True if the part runs without an endpoint."""
        return self.provider == "local"

    @property
    def can_be_tried(self) -> bool:
        """True if a trial makes sense: the built-in responder and assessor call no endpoint."""
        return self.embeds or not self.is_built_in

    @property
    def provider_name(self) -> Any:
        """The provider's display name."""
        return provider_name(self.provider)


def parts(space: Space) -> list[Part]:
    """Return all parts for this space: its own embedder first, then the embedder of new spaces."""
    embedder = space.embedder
    own = _embeddings("embeddings", embedder.provider, embedder.model, embedder.dimensions)
    found = [_talking("chat", space), _assessor(space), own]
    provider, model = model_of_new_spaces()
    chosen = provider.startswith(PREFIX)  # always shown, because the choice can be removed there
    if chosen or (provider, model) != (embedder.provider, embedder.model):
        found.append(_embeddings("new_embeddings", provider, model, None))
    return found


_TITLES: Mapping[str, tuple[Any, Any]] = {
    "chat": (_("Chat"), _("Answers chats unless another model is chosen.")),
    "assessor": (_("Assessor"), _("Decides which parts of a conversation to save.")),
    "embeddings": (_("Embeddings"), _("Finds this space's memories by meaning.")),
    "new_embeddings": (
        _("Embeddings of new spaces"),
        _("The model that new spaces start with."),
    ),
}


def _talking(name: str, space: Space) -> Part:
    title, purpose = _TITLES[name]
    chosen = chosen_model(_PURPOSES[name], space)
    if chosen is None:
        model = Setting("", "", ("OPENAI_BASE_URL", "OPENAI_API_KEY"))
        return Part(name, title, purpose, "local", model, model, model)
    if chosen.connection is not None:
        return _connected(name, chosen, chosen.connection)
    if name == "chat":
        model = _setting(settings.EBB_CHAT_MODEL, "EBB_CHAT_MODEL")
    else:
        model = _setting(settings.EBB_ASSESSOR_MODEL, "EBB_ASSESSOR_MODEL", "EBB_CHAT_MODEL")
    address = _setting(_shown(settings.OPENAI_BASE_URL, "openai"), "OPENAI_BASE_URL")
    key = _setting(_presence(settings.OPENAI_API_KEY), "OPENAI_API_KEY")
    return Part(name, title, purpose, "openai", model, address, key, chosen=chosen)


def _connected(name: str, chosen: ChosenModel, connection: ModelConnection) -> Part:
    """Return the part of a model that was chosen on the page. Its settings name no variables."""
    title, purpose = _TITLES[name]
    settings_of = _settings_of(connection, chosen.model)
    return Part(name, title, purpose, "openai", *settings_of, chosen=chosen)


def _settings_of(connection: ModelConnection, model: str) -> tuple[Setting, Setting, Setting]:
    """Return the model, the address and the key of a model of this connection."""
    return (
        Setting(model, "", (gettext("the chosen model"),)),
        Setting(connection.base_url, "", (gettext("the connection's address"),)),
        Setting(_presence(connection.sealed_key), "", (gettext("the connection's key"),)),
    )


def _assessor(space: Space) -> Part:
    part = _talking("assessor", space)
    if part.chosen is None:
        return replace(part, cost=_("Nothing. It runs on this machine."))
    found = assessor_model.cost(space, part.chosen, timezone.now())
    # A connection's card has its own suggestion.
    smaller = "" if part.connection else assessor_model.small_model()
    return replace(part, cost=found, small_model=smaller)


def _embeddings(name: str, provider: str, model: str, dimensions: int | None) -> Part:
    if connection := connection_of(provider):
        title, purpose = _TITLES[name]
        return Part(name, title, purpose, provider, *_settings_of(connection, model), dimensions)
    if provider == "voyage":
        url, key = settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY
        variables: tuple[tuple[str, ...], ...] = (("VOYAGE_BASE_URL",), ("VOYAGE_API_KEY",))
    else:
        url, key = settings.EBB_EMBEDDING_BASE_URL, settings.EBB_EMBEDDING_API_KEY
        own = {"EBB_EMBEDDING_BASE_URL", "EBB_EMBEDDING_API_KEY"}
        shared = not own & settings.MODEL_VARIABLES.keys()
        variables = (
            ("OPENAI_BASE_URL" if shared else "EBB_EMBEDDING_BASE_URL",),
            ("OPENAI_API_KEY" if shared else "EBB_EMBEDDING_API_KEY",),
        )
    named = (provider, model) == (settings.EBB_EMBEDDING_PROVIDER, settings.EBB_EMBEDDING_MODEL)
    origin = settings.MODEL_VARIABLES.get("EBB_EMBEDDING_MODEL", "") if named else ""
    title, purpose = _TITLES[name]
    return Part(
        name,
        title,
        purpose,
        provider,
        Setting(model, origin, ("EBB_EMBEDDING_MODEL",)),
        _setting(_shown(url, provider), *variables[0]),
        _setting(_presence(key), *variables[1]),
        dimensions,
    )


def _setting(value: str, *variables: str) -> Setting:
    known = settings.MODEL_VARIABLES
    return Setting(value, next((known[v] for v in variables if v in known), ""), variables)


def _presence(key: str) -> str:
    return "yes" if key else ""


def _shown(url: str, provider: str) -> str:
    """Return a URL without possible secrets: user name, password and query."""
    if not url:
        return OWN_ADDRESSES.get(provider, "")
    try:
        parts = urlsplit(url)
    except ValueError:
        return "?"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
