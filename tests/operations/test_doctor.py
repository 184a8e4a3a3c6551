"""`manage.py doctor`: each fault is found and comes with advice."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from pytest_django import Settings

from memory.jobs.workers import BEAT, record_heartbeat
from memory.models import ModelConnection, WorkerHeartbeat
from operations.monitoring.doctor import Finding, archive, examine, vector_indexes
from tests.processes import held_port

PARTS = [
    "version", "data folder", "disk", "settings", "database", "pooler", "connections",
    "vector indexes", "archive", "clock", "schema", "static", "embedder", "distribution",
    "queue's address", "worker", "beat", "queue", "model", "model connections",
]  # fmt: skip


@pytest.fixture
def healthy(db: None, settings: Settings, tmp_path: Path) -> Settings:
    """An installation in which every process has just reported."""
    settings.EBB_DATA_DIR = tmp_path
    tmp_path.chmod(0o700)
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATIC_ROOT.mkdir()
    (settings.STATIC_ROOT / "staticfiles.json").write_text("{}")
    for name in ("ebb", BEAT):
        record_heartbeat(queue=name, now=timezone.now())
    return settings


def faults() -> dict[str, Finding]:
    return {finding.part: finding for finding in examine() if finding.advice}


def test_an_installation_in_order_has_no_fault(healthy: Settings) -> None:
    assert [finding.part for finding in examine()] == PARTS
    assert faults() == {}

    said = StringIO()
    call_command("doctor", stdout=said)
    assert said.getvalue().endswith("Everything works.\n")


def test_each_fault_is_found_and_named_once(healthy: Settings, tmp_path: Path) -> None:
    WorkerHeartbeat.objects.filter(queue=BEAT).delete()
    record_heartbeat(queue="ebb", now=timezone.now() - timedelta(hours=1))
    MigrationRecorder(connection).record_applied("memory", "9999_from_tomorrow")
    ModelConnection.objects.create(
        name="Ollama", base_url="http://127.0.0.1:1/v1", failure="It is away."
    )
    (tmp_path / "static" / "staticfiles.json").unlink()
    tmp_path.chmod(0o755)
    healthy.EBB_EMBEDDING_PROVIDER = "word2vec"

    found = faults()

    assert set(found) == {
        "data folder", "settings", "schema", "static", "worker", "beat", "model connections",
    }  # fmt: skip
    assert found["model connections"].said == "Ollama: It is away."
    assert found["data folder"].advice == f"chmod go-rw {tmp_path}"


def test_vector_indexes_larger_than_the_cache_ask_for_more() -> None:
    assert vector_indexes(100 * 2**20, 128 * 2**20).advice == ""
    assert "shared_buffers to 600MB" in vector_indexes(300 * 2**20, 128 * 2**20).advice


def test_a_large_database_needs_an_archive_that_works() -> None:
    assert archive(2**30, is_on=False, fails=False).advice == ""
    assert "pgBackRest" in archive(5 * 2**30, is_on=False, fails=False).advice
    assert archive(5 * 2**30, is_on=True, fails=False).advice == ""
    assert "log" in archive(2**30, is_on=True, fails=True).advice


def test_a_database_that_is_away_stops_only_what_depends_on_it(healthy: Settings) -> None:
    with held_port() as nobody:  # bound and not listening: connections are refused
        port = nobody.getsockname()[1]
        healthy.DATABASE_URL = f"postgresql://ebb:secret@127.0.0.1:{port}/ebb"
        found = {finding.part: finding for finding in examine()}

    assert found["database"].advice
    assert "secret" not in found["database"].said
    assert {part for part, finding in found.items() if finding.advice} == {"database"}
    assert not {"clock", "schema", "worker", "beat", "queue", "model connections"} & found.keys()


def test_a_database_without_tables_only_asks_for_its_preparation(healthy: Settings) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_workerheartbeat RENAME TO elsewhere")
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied(
        *max(key for key in recorder.applied_migrations() if key[0] == "memory")
    )

    assert set(faults()) == {"schema"}


def test_the_command_ends_with_the_number_of_faults(
    healthy: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    WorkerHeartbeat.objects.all().delete()

    with pytest.raises(SystemExit, match="2 of these need attention"):
        call_command("doctor")

    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("FAULT  worker") for line in lines)
    assert any("→ Start beat" in line for line in lines)
