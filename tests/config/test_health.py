"""Readiness with a part gone: the right answer, and soon."""

import pytest
from django.test import Client
from pytest_django import Settings

from config.celery import app
from tests.processes import held_port


def test_a_database_that_is_away_is_told_without_asking_the_pool(
    client: Client, settings: Settings, db: None
) -> None:
    """The pool waits fifteen seconds for a connection; who asks for readiness does not."""
    with held_port() as nobody:  # bound and not listening: connections are refused
        port = nobody.getsockname()[1]
        settings.DATABASE_URL = f"postgresql://ebb:secret@127.0.0.1:{port}/ebb"
        answer = client.get("/api/v1/health/ready")

    assert answer.status_code == 503
    assert answer.json() == {
        "database": "The database does not answer.",
        "worker": "Unknown: the database is not available.",
        "model": "ok",
    }
    assert client.get("/api/v1/health/live").status_code == 200


@pytest.mark.parametrize("address", ["redis://queue.example:6379/0", "pgmq://"])
def test_a_queue_that_is_away_is_tried_once(address: str) -> None:
    """Kombu would try for six seconds while somebody waits for a reply; beat tells again."""
    assert app.connection_for_write(address).transport_options["max_retries"] == 0
