"""Finds the model servers of this machine, at their usual ports.

Only this machine is asked, and nothing if EBB_PRIVATE_ENDPOINTS=0 forbids its addresses.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from socket import gethostbyname
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from django.conf import settings

from assessor.llm import ModelError, trial_session
from chat.connections.connection_trials import configuration_of, names_of
from memory.embeddings import likely_embedders
from memory.model_connections.choosing import environment_decides
from memory.model_connections.presets import PRESETS, Preset
from memory.models import ModelConnection

DOCKER_MARK = Path("/.dockerenv")
DOCKER_HOST = "host.docker.internal"
"""In a container, the name of the machine that runs it (compose.yaml)."""


@dataclass(frozen=True)
class LocalServer:
    """A model server: its kind, its address, and the models that it lists."""

    preset: Preset
    base_url: str
    models: list[str]


def local_addresses() -> list[str]:
    """Return the usual addresses that no connection has, without Ebb's own; [] if the search is
    off.
    """
    if not settings.EBB_PRIVATE_ENDPOINTS or environment_decides():
        return []
    known = {_place(one) for one in ModelConnection.objects.values_list("base_url", flat=True)}
    ports = dict.fromkeys(_port(preset) for preset in _local_presets())
    places = [(host, port) for host in _hosts() for port in ports if port != settings.EBB_PORT]
    return [f"http://{host}:{port}/v1" for host, port in places if (host, port) not in known]


def found_servers(addresses: list[str]) -> list[LocalServer]:
    """Return the servers at these addresses that list models without a key. Takes seconds at most,
    and needs no database.
    """

    async def ask() -> list[LocalServer | None]:
        return await asyncio.gather(*map(_server_at, addresses))

    return [server for server in asyncio.run(ask()) if server]


async def _server_at(base_url: str) -> LocalServer | None:
    try:
        async with trial_session(configuration_of(ModelConnection(base_url=base_url))) as model:
            listed = await model.models()
    except ModelError:
        return None
    names = names_of(listed)
    embedders = likely_embedders(names)
    chatting = [name for name in names if name not in embedders]
    return LocalServer(_kind(base_url, listed[0]), base_url, chatting) if chatting else None


def _kind(base_url: str, listed: dict[str, Any]) -> Preset:
    """Return the server's preset: by the owner of its models, else by its port."""
    owner, port = str(listed.get("owned_by") or ""), urlsplit(base_url).port
    return max(
        _local_presets(),
        key=lambda one: (one.owner == owner != "", _port(one) == port, one.owner == owner),
    )


def _local_presets() -> Iterator[Preset]:
    return (one for one in PRESETS.values() if urlsplit(one.base_url).hostname == "localhost")


def _port(preset: Preset) -> int | None:
    return urlsplit(preset.base_url).port


def _place(base_url: str) -> tuple[str | None, int | None]:
    parts = urlsplit(base_url)
    return ("127.0.0.1" if parts.hostname == "localhost" else parts.hostname), parts.port


def _hosts() -> list[str]:
    """Return the names of this machine that no proxy would resolve. Docker's name counts only
    inside a container, and only for a private address.
    """
    try:
        inside = DOCKER_MARK.exists() and ip_address(gethostbyname(DOCKER_HOST)).is_private
    except OSError:
        inside = False
    hosts = ["127.0.0.1", DOCKER_HOST] if inside else ["127.0.0.1"]
    proxied = getproxies().keys() & {"http", "all"}
    return [host for host in hosts if not proxied or proxy_bypass(host)]
