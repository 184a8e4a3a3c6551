"""`make up`: runs PostgreSQL, the preparation, then web, worker and beat until it is stopped.

No library fits: honcho ends everything when one process ends and cannot restart it; supervisord is
a daemon with configuration files. processes.py manages one process, run_file.py records what
outlives a killed supervisor, embedded_postgres.py runs PostgreSQL. This module defines the order.
"""

import http
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from types import FrameType

from django.conf import settings

from operations.local_files import keep_secret_key, note_data_dir, note_url, private_folder
from operations.monitoring.logs import visible
from operations.postgres.embedded import EmbeddedPostgres
from operations.preconditions import (
    StartError,
    check_broker,
    check_embedding,
    check_model,
    check_port,
    check_sign_in,
)
from operations.startup.processes import Process
from operations.startup.run_file import RunFile

_GRACE = 8.0  # seconds for unfinished work to end
_TICK = 0.1  # seconds between two checks of the processes
_PATIENCE = 45.0  # seconds after which a start is reported as slow
_MANAGE = (sys.executable, str(settings.BASE_DIR / "manage.py"))


def say(line: str) -> None:
    """Print a line, if there is still a terminal."""
    # A closed terminal must not prevent the processes from being stopped.
    with suppress(OSError):
        sys.stdout.write("\n".join(map(visible, line.split("\n"))) + "\n")
        sys.stdout.flush()


class Supervisor:
    """Runs Ebb on this machine in the foreground."""

    def __init__(self, *, stop_with_parent: bool) -> None:
        self._parent = os.getppid() if stop_with_parent else None
        self._stop_requested = False
        self._run_file = RunFile(settings.EBB_DATA_DIR)
        self._postgres = EmbeddedPostgres(settings.EBB_DATA_DIR)
        self._processes: list[Process] = []

    def run(self) -> None:
        """Run Ebb until a stop is requested and everything has stopped. Raises StartError."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        os.umask(0o077)  # of the processes it starts, too: memories are in logs and caches
        private_folder(settings.EBB_DATA_DIR)
        self._run_file.acquire()
        note_data_dir(settings.EBB_HOME, settings.EBB_DATA_DIR)
        note_url(settings.EBB_DATA_DIR, settings.EBB_URL)
        try:
            self._start()
            if not self._stopping():
                self._watch()
        finally:
            self._stop()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop_requested = True

    def _stopping(self) -> bool:
        """Return whether to stop: on request, or because the starting `make` was killed."""
        return self._stop_requested or self._parent not in {None, os.getppid()}

    def _start(self) -> None:
        self._run_file.end_leftovers()
        check_port(settings.EBB_HOST, settings.EBB_PORT)
        check_model()
        check_embedding()
        check_sign_in()
        check_broker()
        keep_secret_key(settings.EBB_DATA_DIR)
        if settings.EBB_EMBEDDED_POSTGRES:
            say("Starting PostgreSQL…")
            self._postgres.start(give_up=self._stopping)
        if not self._stopping():
            self._finish(self._start_command("prepare", "--alone"))
        if not self._stopping():
            self._start_processes()

    def _start_processes(self) -> None:
        say("Starting the web server and the worker…")
        logs = settings.EBB_DATA_DIR / "logs"
        private_folder(logs)
        for name, command in _commands().items():
            process = Process(name, command, logs=logs, run_file=self._run_file, say=say)
            self._processes.append(process)
            process.start()

    def _watch(self) -> None:
        """Report when Ebb is ready, and restart its processes until it stops."""
        started, ready, patient = time.monotonic(), False, True
        # Started with the other processes, because it takes a second.
        link = self._start_command("login_link", stdout=subprocess.PIPE)
        while not self._stopping():
            self._postgres.look_after(say=say, give_up=self._stopping)
            for process in self._processes:
                process.look_after()
            if not ready:
                missing = _not_ready()
                if ready := not missing:
                    self._greet(link)
                elif patient and time.monotonic() - started > _PATIENCE:
                    patient = False
                    say(f"Still waiting: {missing}")
            time.sleep(_TICK)
        self._finish(link)

    def _greet(self, link: "subprocess.Popen[str]") -> None:
        self._finish(link)
        if link.stdout is not None and not self._stopping():
            say(f"Ebb is ready: {settings.EBB_URL}")
            say(f"Log in (the link works once): {link.stdout.read().strip()}")

    def _start_command(self, *arguments: str, stdout: int | None = None) -> "subprocess.Popen[str]":
        """Start a command of manage.py as a process of its own, because it needs fresh settings."""
        command = (*_MANAGE, *arguments)
        process = subprocess.Popen(command, stdout=stdout, text=True, start_new_session=True)  # noqa: S603 - our own commands
        self._run_file.add(process.pid)
        return process

    def _finish(self, process: "subprocess.Popen[str]") -> None:
        """Wait for a command, or end it when Ebb stops. Raises StartError if it failed."""
        while process.poll() is None:
            if self._stopping():
                process.terminate()
                process.wait()
            time.sleep(_TICK / 2)
        self._run_file.remove(process.pid)
        if process.returncode and not self._stopping():
            # The command has printed the reason.
            raise StartError("")

    def _stop(self) -> None:
        if self._processes:
            say("Stopping…")
        deadline = time.monotonic() + _GRACE
        for process in self._processes:
            process.ask_to_stop()
        for process in self._processes:
            process.stop(deadline=deadline)
        self._postgres.stop()


def _commands() -> dict[str, list[str]]:
    # Celery warns about root, which is common in containers and first trials.
    root = ("-W", "ignore:You're running the worker with superuser privileges")
    celery = ("-m", "celery", "-A", "config")
    return {
        "web": [
            *(sys.executable, "-m", "uvicorn", "config.asgi:application"),
            *("--host", settings.EBB_HOST, "--port", str(settings.EBB_PORT)),
            *("--loop", "uvloop", "--http", "httptools", "--lifespan", "on"),
            # Otherwise open streams would delay a stop until they end.
            *("--no-access-log", "--log-level", "warning", "--timeout-graceful-shutdown", "3"),
            # A process that does not answer uvicorn for so many seconds is replaced.
            *("--workers", str(settings.EBB_WEB_PROCESSES), "--timeout-worker-healthcheck", "60"),
        ],
        "worker": [
            *(sys.executable, *root, *celery, "worker"),
            # These features talk to other workers through the queue; ours records heartbeats in the
            # database.
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ],
        "beat": [sys.executable, *celery, "beat", "--pidfile", ""],
    }


def _not_ready() -> str:
    """Return the parts that are not ready, as one line; "" when everything answers."""
    try:
        ready, status = _reported("ready"), _reported("status")
    except urllib.error.HTTPError as error:
        return f"the web server answers with code {error.code}"
    except OSError as error:
        return f"the web server does not answer ({error})"
    # Old exchanges may wait longer; the worker that now runs assesses them.
    parts = ready | {part: status[part] for part in ("worker", "beat", "model")}
    return "; ".join(f"{part}: {state}" for part, state in parts.items() if state != "ok")


def _reported(name: str) -> dict[str, str]:
    """Return the JSON of a health endpoint. Raises OSError."""
    try:
        url = f"{settings.LOCAL_URL}/api/v1/health/{name}"
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - http, our own address
            parts: dict[str, str] = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code != http.HTTPStatus.SERVICE_UNAVAILABLE:
            raise
        parts = json.load(error)
    return parts
