"""Readiness and status: each part gone in turn, the right answer, and soon."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from celery import Celery
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space
from assessor.models import Assessment, State
from config.celery import ReportingScheduler, SchemaCheck, app
from config.lifespan import Lifespan
from memory.jobs.workers import BEAT, record_heartbeat
from memory.models import Job, ModelConnection, WorkerHeartbeat
from tests.processes import held_port
from tests.stub_pooler import stub_pooler

READY = {"database": "ok", "schema": "ok", "static": "ok", "embedder": "ok"}


@pytest.fixture
def prepared(settings: Settings, tmp_path: Path) -> Path:
    """The folder of the static files, as `prepare` leaves it."""
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "staticfiles.json").write_text('{"paths": {}, "version": "1.1", "hash": ""}')
    return tmp_path


@pytest.fixture
def quiet(db: None) -> None:
    """No heartbeat of a worker that served tests before."""
    WorkerHeartbeat.objects.all().delete()


def ready() -> tuple[int, dict[str, str]]:
    answer = Client().get("/api/v1/health/ready")
    return answer.status_code, answer.json()


def test_a_database_that_is_away_is_told_without_asking_the_pool(
    settings: Settings, prepared: Path, db: None
) -> None:
    """The pool waits fifteen seconds for a connection; who asks for readiness does not."""
    with held_port() as nobody:  # bound and not listening: connections are refused
        port = nobody.getsockname()[1]
        settings.DATABASE_URL = f"postgresql://ebb:secret@127.0.0.1:{port}/ebb"
        code, parts = ready()
        status = Client().get("/api/v1/health/status")

    away = "Unknown: the database is not available."
    assert (code, parts) == (
        503,
        READY | {"database": "The database does not answer.", "schema": away},
    )
    assert status.status_code == 200
    assert status.json() == {
        "status": "degraded", "worker": away, "beat": away, "queue": away, "model": "ok",
        "queue_age_seconds": None, "stuck": None, "connections": None, "failing_connections": None,
    }  # fmt: skip
    assert Client().get("/api/v1/health/live").status_code == 200


@pytest.mark.parametrize("refusal", ["server login has been failing", ""])
def test_a_pooler_that_does_not_reach_postgresql_is_no_database(
    settings: Settings, prepared: Path, db: None, refusal: str
) -> None:
    with stub_pooler(refusal) as settings.DATABASE_URL:
        code, parts = ready()

    assert code == 503
    assert parts["database"] == "The database does not answer."


def test_a_missing_worker_or_model_leaves_a_web_process_ready(
    settings: Settings, prepared: Path, quiet: None
) -> None:
    with held_port() as nobody:
        settings.OPENAI_BASE_URL = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        assert ready() == (200, READY)


def test_missing_static_files_are_a_fault(prepared: Path, db: None) -> None:
    (prepared / "staticfiles.json").unlink()

    code, parts = ready()

    assert code == 503
    assert parts["static"].startswith("The static files are missing.")


def test_a_missing_embedding_model_is_a_fault(settings: Settings, prepared: Path, db: None) -> None:
    settings.EBB_EMBEDDING_MODEL = "no-such-model"

    code, parts = ready()

    assert code == 503
    assert parts["embedder"].startswith("The built-in embedding model is missing.")


def test_an_older_and_a_newer_schema_are_faults(prepared: Path, db: None) -> None:
    recorder = MigrationRecorder(connection)
    [newest] = MigrationLoader(connection).graph.leaf_nodes("chat")
    recorder.record_unapplied(*newest)
    assert (
        ready()[1]["schema"]
        == "The database has not been migrated to this version of Ebb. Run manage.py prepare."
    )

    recorder.record_applied(*newest)
    recorder.record_applied("memory", "9999_from_tomorrow")
    code, parts = ready()
    assert code == 503
    assert parts["schema"] == "This database belongs to a newer version of Ebb. Start that version."


@pytest.fixture
def newer(transactional_db: None) -> Iterator[None]:
    """A database that a newer Ebb has prepared, for all connections."""
    recorder = MigrationRecorder(connection)
    recorder.record_applied("memory", "9999_from_tomorrow")
    yield
    recorder.record_unapplied("memory", "9999_from_tomorrow")


def test_web_and_worker_refuse_a_newer_schema_at_their_start(newer: None) -> None:
    sent: list[dict[str, str]] = []

    async def receive() -> dict[str, str]:
        return {"type": "lifespan.startup"}

    async def send(message: dict[str, str]) -> None:
        sent.append(message)

    asyncio.run(Lifespan(None)({"type": "lifespan"}, receive, send))

    assert [message["type"] for message in sent] == ["lifespan.startup.failed"]
    assert "memory 9999_from_tomorrow is unknown here" in sent[0]["message"]
    with pytest.raises(SystemExit):
        SchemaCheck(None)


def test_status_reports_worker_scheduler_and_connections(quiet: None) -> None:
    def status() -> dict[str, object]:
        found: dict[str, object] = Client().get("/api/v1/health/status").json()
        return found

    assert (status()["worker"], status()["beat"]) == (
        "No worker has reported yet.",
        "The scheduler (beat) has not reported yet.",
    )
    now = timezone.now()
    record_heartbeat(queue="ebb", now=now)
    record_heartbeat(queue=BEAT, now=now - timedelta(minutes=5))
    assert status()["worker"] == "ok"
    assert str(status()["beat"]).startswith("The scheduler (beat) has not reported for 3")
    record_heartbeat(queue=BEAT, now=now)
    assert status()["status"] == "ok"

    ModelConnection.objects.create(name="Fine", base_url="http://127.0.0.1:1/v1")
    ModelConnection.objects.create(
        name="Broken", base_url="http://127.0.0.1:1/v1", failure="It is away."
    )
    found = status()
    assert (found["status"], found["connections"], found["failing_connections"]) == (
        "degraded", 2, 1,
    )  # fmt: skip


def test_status_counts_what_waits_and_what_nobody_takes_over(space: Space, quiet: None) -> None:
    now = timezone.now()

    def status() -> dict[str, object]:
        found: dict[str, object] = Client().get("/api/v1/health/status").json()
        return found

    Assessment.objects.create(space=space, user_message="Hi", due_at=now + timedelta(hours=1))
    assert (status()["queue"], status()["queue_age_seconds"], status()["stuck"]) == ("ok", 0.0, 0)

    waits = Assessment.objects.create(
        space=space, user_message="Hi", due_at=now - timedelta(hours=1)
    )
    age = status()["queue_age_seconds"]
    assert isinstance(age, float)
    assert 3600 <= age < 3700
    assert str(status()["queue"]).startswith("The oldest exchange has waited for 36")

    Assessment.objects.filter(pk=waits.pk).update(
        state=State.RUNNING, leased_until=now - timedelta(minutes=5)
    )
    Job.objects.create(
        space=space, kind="import", state="running", leased_until=now - timedelta(minutes=5),
        actor_type="system",
    )  # fmt: skip
    Job.objects.create(
        space=space, kind="sweep", state="running", leased_until=now + timedelta(minutes=1),
        actor_type="system",
    )  # fmt: skip
    found = status()
    assert found["stuck"] == 2
    assert found["queue"] == "2 tasks were abandoned, and no worker has taken them over."


def test_beat_reports_that_it_is_alive(quiet: None, tmp_path: Path) -> None:
    empty = Celery("no tasks", broker="memory://", set_as_current=False)
    scheduler = ReportingScheduler(app=empty, schedule_filename=str(tmp_path / "schedule"))
    try:
        scheduler.tick()
        first = WorkerHeartbeat.objects.get(queue=BEAT).at
        scheduler.tick()  # within ten seconds: not again
    finally:
        scheduler.close()

    assert WorkerHeartbeat.objects.get(queue=BEAT).at == first


def test_beat_logs_once_a_minute_that_the_workers_do_not_keep_up(
    quiet: None, space: Space, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    empty = Celery("no tasks", broker="memory://", set_as_current=False)
    scheduler = ReportingScheduler(app=empty, schedule_filename=str(tmp_path / "schedule"))
    due = timezone.now() - timedelta(seconds=9000)
    Assessment.objects.create(space=space, user_message="My name is Mara", due_at=due)
    try:
        for _ in range(2):
            scheduler.tick()
            scheduler._reported_at -= 11  # eleven seconds later
    finally:
        scheduler.close()

    [line] = [line for line in caplog.messages if "do not keep up" in line]
    assert line.startswith(
        "The workers do not keep up: 1 exchanges wait for assessment, the oldest for 90"
    )


@pytest.mark.parametrize("address", ["redis://queue.example:6379/0", "pgmq://"])
def test_a_queue_that_is_away_is_tried_once(address: str) -> None:
    """Kombu would try for six seconds while somebody waits for a reply; beat tells again."""
    assert app.connection_for_write(address).transport_options["max_retries"] == 0
