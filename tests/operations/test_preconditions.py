"""Impossible settings are refused at the start, with one line that says what to do."""

import os
from urllib.parse import urlsplit

import psycopg
import pytest
from pytest_django import Settings

from config.celery import app
from operations.preconditions import (
    StartError,
    check_broker,
    check_database,
    check_embedding,
    check_port,
    check_sign_in,
    unfit,
)
from tests.processes import held_port
from tests.stub_pooler import stub_pooler

NOTHING = {
    "EBB_EMBEDDING_PROVIDER": "local",
    "EBB_EMBEDDING_MODEL": "all-MiniLM-L6-v2",
    "EBB_EMBEDDING_BASE_URL": "",
    "EBB_EMBEDDING_API_KEY": "",
    "VOYAGE_API_KEY": "",
    "VOYAGE_BASE_URL": "",
}


def configure(settings: Settings, values: dict[str, object]) -> None:
    for name, value in (NOTHING | values).items():
        setattr(settings, name, value)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"EBB_EMBEDDING_PROVIDER": "voyage", "VOYAGE_API_KEY": "pa-1"},
        {"EBB_EMBEDDING_PROVIDER": "openai", "EBB_EMBEDDING_API_KEY": "sk-1"},
        {"EBB_EMBEDDING_PROVIDER": "openai", "EBB_EMBEDDING_BASE_URL": "http://127.0.0.1:1/v1"},
    ],
)
def test_embedding_settings_that_fit_are_taken(
    settings: Settings, values: dict[str, object]
) -> None:
    configure(settings, values)

    check_embedding()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"EBB_EMBEDDING_PROVIDER": "word2vec"}, "Use local, openai, voyage"),
        ({"EBB_EMBEDDING_PROVIDER": "voyage"}, "VOYAGE_API_KEY"),
        ({"EBB_EMBEDDING_PROVIDER": "openai"}, "EBB_EMBEDDING_BASE_URL"),
        ({"EBB_EMBEDDING_MODEL": "text-embedding-3-small"}, "set EBB_EMBEDDING_PROVIDER"),
    ],
)
def test_embedding_settings_that_contradict_each_other_are_refused(
    settings: Settings, values: dict[str, object], said: str
) -> None:
    configure(settings, values)

    with pytest.raises(StartError, match=said):
        check_embedding()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"EBB_OIDC_ISSUER": "https://login.example.org"}, "EBB_OIDC_CLIENT_ID"),
        ({"EBB_LOCAL_LOGIN": False}, "EBB_OIDC_ISSUER"),
    ],
)
def test_a_log_in_that_cannot_work_is_refused(
    settings: Settings, values: dict[str, object], said: str
) -> None:
    check_sign_in()
    for name, value in values.items():
        setattr(settings, name, value)

    with pytest.raises(StartError, match=said):
        check_sign_in()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("redis://:secret@127.0.0.1:{closed}/0", "The queue in CELERY_BROKER_URL does not answer"),
        (
            "amqp://ebb:secret@127.0.0.1:{closed}//",
            "The queue in CELERY_BROKER_URL does not answer",
        ),
        ("carrier-pigeon://secret@loft", "CELERY_BROKER_URL must look like redis://"),
    ],
)
def test_a_queue_that_is_not_there_is_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    with held_port() as nobody:  # bound and not listening: connections are refused
        address = address.format(closed=nobody.getsockname()[1])
        # First: where nobody has asked for it yet, Celery reads it from the settings here.
        monkeypatch.setattr(app.conf, "broker_url", address)
        settings.CELERY_BROKER_URL = address
        with pytest.raises(StartError, match=said) as refusal:
            check_broker()
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "192.0.2.1"])
def test_a_host_that_is_not_this_machine_is_not_blamed_on_the_port(host: str) -> None:
    with pytest.raises(StartError, match="EBB_HOST must be an address of this machine"):
        check_port(host, 8000)


def test_a_database_that_is_not_unicode_is_refused(settings: Settings, db: None) -> None:
    """Half of what people write could not be kept in it."""
    name = f"latin_{os.getpid()}"
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        try:
            settings.DATABASE_URL = (
                urlsplit(settings.DATABASE_URL)._replace(path=f"/{name}").geturl()
            )
            with pytest.raises(StartError, match="keeps its texts in LATIN1"):
                check_database()
        finally:
            admin.execute(f"DROP DATABASE {name}")


def test_the_database_of_these_tests_is_fit(db: None) -> None:
    check_database()


@pytest.mark.parametrize(
    ("version", "vector", "said"),
    [
        (14, "0.8.0", "is PostgreSQL 14; Ebb needs 15"),
        (15, "", "does not have pgvector"),
        (15, "0.7.4", "has pgvector 0.7.4; Ebb needs 0.8"),
        (15, "0.8.0", ""),
        (18, "0.10.1", ""),
        (18, "1.0", ""),
    ],
)
def test_a_server_that_is_too_old_is_refused(version: int, vector: str, said: str) -> None:
    fault = unfit(version, "UTF8", vector)
    assert said in fault if said else not fault


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        ("query_wait_timeout", "no free connection: query_wait_timeout. Raise its default_pool"),
        ("server login has been failing", "does not reach PostgreSQL: server login has been fail"),
    ],
)
def test_a_pooler_that_refuses_is_named_with_the_remedy(
    settings: Settings, refusal: str, said: str
) -> None:
    with stub_pooler(refusal) as settings.DATABASE_URL, pytest.raises(StartError, match=said):
        check_database()
