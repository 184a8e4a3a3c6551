"""Ebb's real processes, for tests: web server, Celery worker and beat on the test run's database.

Each runs as `make up` runs it, in a process group of its own, and exactly that group is ended. They
see what tests commit, so tests that use them are `django_db(transaction=True)`.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx2
import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from kombu import pools
from pgmq.install import install_pgmq_from_sql

from config.celery import app
from operations.broker import pgmq_address
from tests.stub_model import StubModel
from tests.waiting import PATIENCE as PATIENCE
from tests.waiting import wait_until as wait_until

_WEB = (
    *(sys.executable, "-m", "uvicorn", "config.asgi:application", "--host", "127.0.0.1"),
    *("--loop", "uvloop", "--http", "httptools", "--lifespan", "on"),
    *("--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "3"),
)
_CELERY = (sys.executable, "-m", "celery", "-A", "config")
# Variables of a process whose limits are small (tests/stack/small_settings.py).
SMALL = {"DJANGO_SETTINGS_MODULE": "tests.stack.small_settings"}
_WORKER = (
    *(*_CELERY, "worker"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat"),
)
_BEAT = (*_CELERY, "beat", "--pidfile", "")


def test_database_url() -> str:
    """The address of the database that pytest-django made."""
    parts = urlsplit(settings.DATABASE_URL)
    return parts._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


test_database_url.__test__ = False  # type: ignore[attr-defined]  # a name, not a test


@pytest.fixture(scope="session")
def queue(django_db_setup: None) -> Iterator[str]:
    """pgmq in the test database, where this process puts its tasks, too; its address."""
    url = test_database_url()
    with psycopg.connect(url) as session:
        [installed] = session.execute("SELECT to_regclass('pgmq.meta')").fetchone() or [None]
    if installed is None:
        install_pgmq_from_sql(dsn=url)
    app.conf.broker_transport_options = {
        **settings.CELERY_BROKER_TRANSPORT_OPTIONS,
        "conn_string": pgmq_address(url),
    }
    yield url
    # Sessions that are still open would keep the test database from being dropped.
    app.pool.force_close_all()
    pools.reset()  # type: ignore[no-untyped-call]  # kombu has no types


def forget_tasks(queue: str) -> None:
    """Takes away the tasks that earlier tests put on the queue: their rows are gone, and what
    beat once asked for would be done at a time that no test expects."""
    with psycopg.connect(queue) as session:
        for [name] in session.execute("SELECT queue_name FROM pgmq.list_queues()").fetchall():
            session.execute("SELECT pgmq.purge_queue(%s)", [name])


def forget_heartbeats(queue: str) -> None:
    """Takes away what a worker that has ended reported after its last test's rows were gone."""
    with psycopg.connect(queue) as session:
        session.execute("DELETE FROM memory_workerheartbeat")


class Running:
    """A process that was started, with its log."""

    def __init__(self, name: str, command: tuple[str, ...], log: Path, variables: dict[str, str]):
        self.name = name
        self.log = log
        self._output: IO[str] = log.open("w")
        self._popen = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            # A browser test lets its own thread use the database beside an event loop; nobody else.
            env={n: v for n, v in os.environ.items() if n != "DJANGO_ALLOW_ASYNC_UNSAFE"}
            | variables,
            cwd=settings.BASE_DIR,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self._popen.pid

    def has_said(self, words: str) -> bool:
        """Return whether the words are in its log; fail the test if it has ended by itself."""
        said = self.log.read_text(errors="replace")
        if self._popen.poll() is not None:
            pytest.fail(f"{self.name} has ended:\n{said[-3000:]}")
        return words in said

    def kill(self) -> None:
        """kill -9 of the process and what it started."""
        self._signal(signal.SIGKILL)
        self._popen.wait(PATIENCE)
        self._output.close()

    def stop(self) -> None:
        """Asks it to end, and ends it when it does not."""
        if self._popen.poll() is None:
            self._signal(signal.SIGTERM)
            try:
                self._popen.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
                self._popen.wait()
        self._output.close()

    def _signal(self, number: signal.Signals) -> None:
        if self._popen.poll() is None:
            os.killpg(self._popen.pid, number)


class Web(Running):
    """A web server that answers at `url`. It holds its port, so that nobody else gets it before
    the server listens there; `SO_REUSEADDR` lets the server have it all the same."""

    def __init__(
        self, command: tuple[str, ...], log: Path, variables: dict[str, str], port: socket.socket
    ) -> None:
        number: int = port.getsockname()[1]
        variables = {**variables, "EBB_PORT": str(number)}
        super().__init__("web", (*command, "--port", str(number)), log, variables)
        self.url = f"http://127.0.0.1:{number}"
        self._port = port

    def kill(self) -> None:
        super().kill()
        self._port.close()

    def stop(self) -> None:
        super().stop()
        self._port.close()

    def answers(self) -> bool:
        self.has_said("")
        with socket.socket() as call:
            if call.connect_ex(self._port.getsockname()) != 0:
                return False  # a request would cost far more to try
        try:
            return httpx2.get(f"{self.url}/api/v1/health/live", timeout=2).status_code == 200
        except httpx2.TransportError:
            return False


class Processes:
    """Starts processes against the test database; `end` ends those and no others."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self._database_url = database_url
        self._folder = folder
        self._started: list[Running] = []

    def web(self, **variables: str) -> Web:
        """A web server, once it answers; `variables` are added to its environment."""
        web = Web(_WEB, self._log("web"), self._environment(variables), held_port())
        self._started.append(web)
        wait_until(web.answers, what="the start of the web server")
        return web

    def worker(self, **variables: str) -> Running:
        """A worker, once it takes tasks."""
        worker = self._start("worker", _WORKER, variables)
        wait_until(lambda: worker.has_said(" ready."), what="the start of the worker")
        return worker

    def beat(self, **variables: str) -> Running:
        """Beat, once it runs."""
        beat = self._start("beat", _BEAT, variables)
        wait_until(
            lambda: beat.has_said("beat: Starting"),
            what="the start of beat",
        )
        return beat

    def end(self) -> None:
        """Kill them: what they do when they are asked to stop has tests of its own."""
        for process in reversed(self._started):
            process.kill()

    def _start(self, name: str, command: tuple[str, ...], variables: dict[str, str]) -> Running:
        process = Running(name, command, self._log(name), self._environment(variables))
        self._started.append(process)
        return process

    def _log(self, name: str) -> Path:
        return self._folder / f"{len(self._started)}-{name}.log"

    def _environment(self, variables: dict[str, str]) -> dict[str, str]:
        return {
            "DATABASE_URL": self._database_url,
            "SECRET_KEY": settings.SECRET_KEY,
            "EBB_DATA_DIR": str(settings.EBB_DATA_DIR),
            "EBB_RUN_DIR": str(self._folder / "run"),
            # Whatever the .env of the person who runs the tests says.
            "OPENAI_API_KEY": "",
            "OPENAI_BASE_URL": "",
            "PYTHONUNBUFFERED": "1",
            # Celery warns of root; a container often is.
            "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
            **variables,
        }


def held_port() -> socket.socket:
    """A free port that stays ours: a socket that is bound and does not listen."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


@contextmanager
def running_processes(database_url: str, folder: Path) -> Iterator[Processes]:
    processes = Processes(database_url, folder)
    try:
        yield processes
    finally:
        processes.end()


@pytest.fixture
def processes(queue: str, tmp_path: Path) -> Iterator[Processes]:
    """Starts processes that end with the test."""
    forget_tasks(queue)
    with running_processes(queue, tmp_path) as started:
        yield started


@pytest.fixture(scope="session")
def static_files() -> None:
    """Collect the pages' static files, as `prepare` does."""
    call_command("collectstatic", verbosity=0, interactive=False)


@pytest.fixture(scope="session")
def web(queue: str, static_files: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """One web server for the whole run, with the built-in responder and assessor."""
    with running_processes(queue, tmp_path_factory.mktemp("web")) as started:
        yield started.web()


@pytest.fixture(scope="session")
def model_web(
    queue: str,
    static_files: None,
    stub_model_server: StubModel,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Web]:
    """One web server for the whole run that asks the stub model."""
    with running_processes(queue, tmp_path_factory.mktemp("model-web")) as started:
        yield started.web(OPENAI_BASE_URL=stub_model_server.base_url, EBB_CHAT_MODEL="stub")


@pytest.fixture(scope="module")
def worker(queue: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A worker with the built-in assessor. It ends with the module: others test without one."""
    forget_tasks(queue)
    with running_processes(queue, tmp_path_factory.mktemp("worker")) as started:
        yield started.worker()
    forget_heartbeats(queue)
