"""Ebb behind a real PgBouncer, in both modes, by the variables of docs/deployment.md."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx2
import psycopg
import pytest
from django.conf import settings
from django.db import connection
from psycopg.conninfo import conninfo_to_dict

from accounts.models import Space, User
from tests.conftest import MakeKey
from tests.processes import held_port, running_processes, wait_until
from tests.stack.test_two_web_processes import SAID, Browser, begun, until_shown
from tests.stub_model import StubModel

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")

pytestmark = [
    pytest.mark.long,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(PGBOUNCER is None, reason="there is no pgbouncer on this machine"),
]

_CONFIGURATION = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
query_wait_timeout = 10
"""


@pytest.fixture(params=["session", "transaction"])
def pooled(request: pytest.FixtureRequest, queue: str) -> Iterator[dict[str, str]]:
    """Ebb's variables for a PgBouncer in this mode, which runs during the test."""
    mode = request.param
    with _pgbouncer(queue, mode, size=40 if mode == "session" else 5) as address:
        variables = {"DATABASE_URL": address}
        if mode == "transaction":
            variables["DATABASE_URL"] += "?disable_server_side_cursors=True"
            server = {"port": "5432"} | conninfo_to_dict(queue)
            host = quote(str(server["host"]), safe="")
            direct = f"{server['user']}:@{host}:{server['port']}/{server['dbname']}"
            variables["CELERY_BROKER_URL"] = f"pgmq://{direct}"
        yield variables


@contextmanager
def _pgbouncer(queue: str, mode: str, size: int) -> Iterator[str]:
    """Run a PgBouncer before the queue's PostgreSQL; yield its address."""
    server, held = conninfo_to_dict(queue), held_port()
    host, port = str(server["host"]), str(server.get("port", 5432))
    listen: int = held.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="ebb-pooler-"))
    folder.chmod(0o755)  # another user reads it, whatever this process' umask is
    file = folder / "pgbouncer.ini"
    file.write_text(
        _CONFIGURATION.format(
            host=host, port=port, user=server["user"], listen=listen, mode=mode, size=size
        )
    )  # fmt: skip
    file.chmod(0o644)
    assert PGBOUNCER is not None
    # PgBouncer refuses to run as root. The owner of PostgreSQL's socket can connect to it.
    user = Path(host).owner() if os.geteuid() == 0 else None
    if user is not None:
        _admit(user)
    pooler = subprocess.Popen([PGBOUNCER, str(file)], user=user, cwd=folder)
    address = f"postgresql://ebb@127.0.0.1:{listen}/{server['dbname']}"
    try:
        wait_until(lambda: _answers(address), what="the start of PgBouncer")
        yield address
    finally:
        pooler.terminate()
        pooler.wait()
        held.close()
        shutil.rmtree(folder)


def _admit(user: str) -> None:
    """Let this user connect to PostgreSQL too, which after its last start may admit root only."""
    idents = Path(settings.EBB_DATA_DIR) / "postgres" / "pg_ident.conf"
    line = f'ebb "{user}" postgres\n'
    if idents.exists() and line not in idents.read_text():
        with idents.open("a") as file:
            file.write(line)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_reload_conf()")


def _answers(address: str) -> bool:
    try:
        psycopg.connect(address, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def manage(*command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"EBB_DEMO_DATA": "0"} | variables
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_ebb_works_behind_pgbouncer(
    pooled: dict[str, str], space: Space, key: MakeKey, tmp_path: Path
) -> None:
    prepared = manage("prepare", **pooled)
    assert prepared.returncode == 0, prepared.stderr

    headers = {"Authorization": f"Bearer {key()}"}
    with running_processes(pooled["DATABASE_URL"], tmp_path) as started:
        web = started.web(**pooled)
        with httpx2.Client(base_url=f"{web.url}/api/v1/", headers=headers, timeout=90) as client:
            assert client.get("health/ready").json() == {
                "database": "ok", "schema": "ok", "static": "ok", "embedder": "ok",
            }  # fmt: skip
            assert client.post("memories", json={"content": "User likes pizza"}).status_code == 201
            for _ in range(12):  # more often than a plan needs to be kept
                found = client.post("memories/search", json={"query": "pizza"})
                assert found.json()["results"][0]["memory"]["content"] == "User likes pizza"
            assert client.post("chat", json={"message": "Hello"}).status_code == 200


def test_a_reply_streams_on_at_another_process(
    pooled: dict[str, str], space: Space, alice: User, stub_model: StubModel, tmp_path: Path
) -> None:
    assert manage("prepare", **pooled).returncode == 0
    model = {"OPENAI_BASE_URL": stub_model.base_url, "EBB_CHAT_MODEL": "stub"}
    stub_model.script("hold:3")
    with (
        Browser(space, alice) as browser,
        running_processes(pooled["DATABASE_URL"], tmp_path) as started,
    ):
        first, second = (started.web(**pooled, **model) for _ in range(2))
        message = begun(browser, first)
        with browser.reading(first, message) as own, browser.reading(second, message) as events:
            until_shown(own, "You said: I")
            until_shown(events, "You said: I")
            stub_model.release()
            until_shown(events, f"You said: {SAID}")


def test_a_full_pooler_is_named_in_one_line(queue: str, tmp_path: Path) -> None:
    with _pgbouncer(queue, "session", size=1) as address, psycopg.connect(address) as busy:
        busy.execute("SELECT 1")
        made = manage("backup", str(tmp_path / "ebb.backup"), DATABASE_URL=address)

    assert made.returncode == 1
    assert "no free connection: query_wait_timeout. Raise its default_pool_size" in made.stderr
    assert "Traceback" not in made.stderr


def test_a_new_data_folder_is_closed_to_others(pooled: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "data"
    prepared = manage("prepare", **pooled | {"EBB_DATA_DIR": str(folder)})

    assert prepared.returncode == 0, prepared.stderr
    assert folder.stat().st_mode & 0o066 == 0
