"""Checks before Ebb can start, each with a one-line error message."""

import asyncio
import errno
import socket

import psycopg
from celery import Celery
from django.conf import settings
from kombu.exceptions import KombuError

from assessor.llm import ModelError, model_session
from memory.embeddings import BUILT_IN, PROVIDERS
from operations.database import ADDRESS_RULE, libpq_url

OLDEST_POSTGRES = 15
OLDEST_PGVECTOR = (0, 8)
_CONNECT_TIMEOUT = 5  # seconds


class StartError(Exception):
    """Ebb cannot start; the text says why and what to do."""


def check_port(host: str, port: int) -> None:
    """Raise StartError if nothing can listen on this address."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            # Like the web server: lingering connections of the last run do not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except OSError as error:
        elsewhere = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        advice = (
            "EBB_HOST must be an address of this machine."
            if elsewhere
            else "Choose another port with EBB_PORT."
        )
        raise StartError(
            f"Ebb cannot listen on {host}:{port}: {error.strerror}. {advice}"
        ) from None


def check_model() -> None:
    """Raise StartError if a model is configured but does not answer or refuses the key."""
    if settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL:
        try:
            asyncio.run(ask_model())
        except ModelError as error:
            where = settings.OPENAI_BASE_URL or "OpenAI"
            raise StartError(
                f"{error} Check OPENAI_BASE_URL ({where}) and OPENAI_API_KEY, "
                "or unset both for the built-in model."
            ) from None


def check_broker() -> None:
    """Raise StartError if the queue's own server, if any, does not answer."""
    check_queue()
    if settings.CELERY_BROKER_URL.startswith("pgmq:"):
        return  # the queue is in the database
    try:
        program = Celery(broker=settings.CELERY_BROKER_URL, set_as_current=False)
        with program.connection_for_write(connect_timeout=_CONNECT_TIMEOUT) as queue:
            queue.ensure_connection(max_retries=1, interval_start=0)
    except (KeyError, ImportError, ValueError):
        raise StartError(
            "CELERY_BROKER_URL must look like redis://host:6379/0 or amqp://user:password@host//, "
            "or be unset for a queue in the database."
        ) from None
    except KombuError as error:
        raise StartError(
            f"The queue in CELERY_BROKER_URL does not answer ({error}). "
            "Unset it for a queue in the database."
        ) from None


def check_queue() -> None:
    """Raise StartError if the queue would use connections that a pooler shares."""
    if settings.EBB_SHARED_CONNECTIONS and settings.CELERY_BROKER_URL in {"pgmq:", "pgmq://"}:
        raise StartError(
            "The queue cannot use DATABASE_URL, because a pooler shares its connections "
            "(disable_server_side_cursors). Set CELERY_BROKER_URL to redis://host:6379/0, or to "
            "PostgreSQL itself: pgmq://user:password@host:5432/name"
        )


def check_sign_in() -> None:
    """Raise StartError if nobody could log in, or if the provider's variables are incomplete. Sends
    no request."""
    if settings.EBB_OIDC_ISSUER and not settings.EBB_OIDC_CLIENT_ID:
        raise StartError("EBB_OIDC_ISSUER needs the client's id in EBB_OIDC_CLIENT_ID.")
    if not (settings.EBB_LOCAL_LOGIN or settings.EBB_OIDC_ISSUER):
        raise StartError("EBB_LOCAL_LOGIN=0 needs an identity provider in EBB_OIDC_ISSUER.")


def check_embedding() -> None:
    """Raise StartError if the embedding variables are invalid. Sends no request."""
    provider = settings.EBB_EMBEDDING_PROVIDER
    if provider not in PROVIDERS:
        raise StartError(f"EBB_EMBEDDING_PROVIDER is {provider!r}. Use {', '.join(PROVIDERS)}.")
    if provider == "voyage" and not (settings.VOYAGE_API_KEY or settings.VOYAGE_BASE_URL):
        raise StartError("EBB_EMBEDDING_PROVIDER=voyage needs a key in VOYAGE_API_KEY.")
    if provider == "openai" and not (
        settings.EBB_EMBEDDING_API_KEY or settings.EBB_EMBEDDING_BASE_URL
    ):
        raise StartError(
            "EBB_EMBEDDING_PROVIDER=openai needs a key in OPENAI_API_KEY, "
            "or the address of an endpoint in EBB_EMBEDDING_BASE_URL."
        )
    if provider == "local" and settings.EBB_EMBEDDING_MODEL not in BUILT_IN:
        raise StartError(
            f"The built-in embedding models are {' and '.join(BUILT_IN)}. For another, set "
            "EBB_EMBEDDING_PROVIDER, or unset EBB_EMBEDDING_MODEL."
        )


async def ask_model() -> None:
    """Check that the configured chat model answers. Raises ModelError."""
    async with model_session(
        base_url=settings.OPENAI_BASE_URL,
        api_key=settings.OPENAI_API_KEY,
        model=settings.EBB_CHAT_MODEL,
    ) as model:
        await model.check()


def check_database() -> None:
    """Raise StartError if the database is unavailable, too old, not UTF-8 or without pgvector."""
    try:
        address = libpq_url(settings.DATABASE_URL)
        with psycopg.connect(address, connect_timeout=_CONNECT_TIMEOUT) as connection:
            version = connection.info.server_version // 10_000
            [encoding] = connection.execute("SHOW server_encoding").fetchone() or [""]
            [vector] = connection.execute(
                "SELECT coalesce(installed_version, default_version)"
                " FROM pg_available_extensions WHERE name = 'vector'"
            ).fetchone() or [""]
    except psycopg.errors.ProtocolViolation as error:
        raise StartError(_refusal_of_pooler(_first(error))) from None
    except psycopg.OperationalError as error:
        raise StartError(f"The database in DATABASE_URL does not answer: {_first(error)}") from None
    except psycopg.Error:
        # libpq's message contains the URL, and with it the password.
        raise StartError(ADDRESS_RULE) from None
    if fault := unfit(version, encoding, vector):
        raise StartError(f"The database in DATABASE_URL {fault}")


def _refusal_of_pooler(reason: str) -> str:
    if "query_wait_timeout" in reason:
        return (
            f"The pooler in DATABASE_URL has no free connection: {reason}. Raise its "
            "default_pool_size (docs/deployment.md)."
        )
    return (
        f"The pooler in DATABASE_URL does not reach PostgreSQL: {reason}. Check that PostgreSQL "
        "runs and accepts the pooler's log-in."
    )


def unfit(version: int, encoding: str, vector: str) -> str:
    """Return why Ebb cannot use a database of this kind, or "" if it can."""
    if version < OLDEST_POSTGRES:
        return f"is PostgreSQL {version}; Ebb needs {OLDEST_POSTGRES} or newer."
    if encoding != "UTF8":
        return f"keeps its texts in {encoding}; Ebb needs one made with ENCODING 'UTF8'."
    if not vector:
        return "is on a server that does not have pgvector installed."
    if tuple(map(int, vector.split(".")[:2])) < OLDEST_PGVECTOR:
        return (
            f"has pgvector {vector}; Ebb needs {'.'.join(map(str, OLDEST_PGVECTOR))} or newer. "
            "After installing it: ALTER EXTENSION vector UPDATE;"
        )
    return ""


def _first(error: psycopg.Error) -> str:
    """Return the first line of libpq's message, which has one reason per address tried."""
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
