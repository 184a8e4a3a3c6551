"""`make up` as a newcomer meets it: real processes in a data folder and on a port of their own."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from tests.processes import held_port, wait_until

pytestmark = [pytest.mark.stack, pytest.mark.timeout(900)]

PATIENCE = 240.0  # seconds for a start on a busy machine


class Ebb:
    """One data folder and port, and the supervisor that runs on it at the moment."""

    def __init__(self, data_dir: Path, **variables: str) -> None:
        self.data_dir = data_dir
        self._held = held_port()
        self.port: int = self._held.getsockname()[1]
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("EBB_", "DATABASE_URL", "DJANGO_"))
        }
        self.environment |= {"EBB_DATA_DIR": str(data_dir), "EBB_PORT": str(self.port), **variables}
        self.supervisor: subprocess.Popen[str] | None = None
        self.lines: list[str] = []

    def release(self) -> None:
        """Lets go of the port, which nobody else could have."""
        self._held.close()

    def start(self) -> None:
        self.supervisor = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=settings.BASE_DIR,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines = []

    def wait_for(self, beginning: str) -> str:
        """The first line that begins so; the lines before it are in the message if none does."""
        assert self.supervisor is not None
        assert self.supervisor.stdout is not None
        for line in self.supervisor.stdout:
            self.lines.append(line.strip())
            if line.startswith(beginning):
                return line.strip()
        raise AssertionError(f"No line {beginning!r} in: {self.lines}")

    def fail(self) -> list[str]:
        """Starts, expects that it ends by itself with exit code 1, and returns what it said."""
        self.start()
        assert self.supervisor is not None
        output, _ = self.supervisor.communicate(timeout=PATIENCE)
        assert self.supervisor.returncode == 1
        return output.splitlines()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        assert self.supervisor is not None
        self.supervisor.send_signal(number)
        self.supervisor.communicate(timeout=PATIENCE)
        return self.supervisor.returncode

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/health/ready"):
                return True
        except OSError:
            return False

    def postmaster(self) -> str:
        """The number of PostgreSQL's first process."""
        return (self.data_dir / "postgres" / "postmaster.pid").read_text().split()[0]

    def web_processes(self) -> set[int]:
        """The numbers of the processes that answer requests."""
        found = set()
        for child in self.processes()["uvicorn"].children():
            with suppress(psutil.NoSuchProcess):  # or it is a zombie
                if "spawn_main" in " ".join(child.cmdline()):
                    found.add(child.pid)
        return found

    def processes(self) -> dict[str, psutil.Process]:
        """Every living process of this data folder by a word of its command line."""
        found = {}
        for process in psutil.process_iter():
            try:
                command = " ".join(process.cmdline())
                ours = str(self.data_dir) in command or (
                    process.environ().get("EBB_DATA_DIR") == str(self.data_dir)
                )
            except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
                continue
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                words = ("uvicorn", "config worker", "config beat", "manage.py", "postgres")
                found[next((word for word in words if word in command), command)] = process
        return found


@pytest.fixture
def ebb(tmp_path: Path) -> Iterator[Ebb]:
    # Root's PostgreSQL runs as another user, who must get to its folder.
    tmp_path.chmod(0o755)
    instance = Ebb(tmp_path / "data")
    yield instance
    instance.release()
    if instance.supervisor is not None and instance.supervisor.poll() is None:
        instance.stop()
    for process in instance.processes().values():
        process.kill()


@pytest.mark.long
def test_up_is_ready_survives_dead_processes_and_leaves_none(ebb: Ebb) -> None:
    ebb.environment["EBB_WEB_PROCESSES"] = "2"
    ebb.start()
    ready = ebb.wait_for("Ebb is ready: ")
    assert ready == f"Ebb is ready: http://127.0.0.1:{ebb.port}"
    link = ebb.wait_for("Log in").rsplit(" ", 1)[1]
    assert re.fullmatch(rf"http://127\.0\.0\.1:{ebb.port}/login/link/\?sesame=\S+", link)
    assert {"uvicorn", "config worker", "config beat", "manage.py", "postgres"} <= set(
        ebb.processes()
    )

    another = Ebb(ebb.data_dir)
    said = another.fail()
    another.release()
    assert said[0].startswith(f"Ebb is already running on {ebb.data_dir}")

    dead = ebb.processes()["config worker"]
    dead.kill()
    ebb.wait_for("worker was ended by signal 9")
    wait_until(lambda: ebb.processes().get("config worker", dead).pid != dead.pid)

    wait_until(lambda: len(ebb.web_processes()) == 2, what="two web processes")
    first, second = ebb.web_processes()
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: len(ebb.web_processes() - {first}) == 2, what="two web processes")
    assert second in ebb.web_processes()
    ebb.processes()["uvicorn"].kill()
    ebb.wait_for("web was ended by signal 9")
    wait_until(ebb.is_ready, what="being ready again")
    # Nobody is left of the first generation, who would still have the port.
    with suppress(psutil.NoSuchProcess):
        assert psutil.Process(second).status() == psutil.STATUS_ZOMBIE

    os.kill(int(ebb.postmaster()), signal.SIGKILL)
    ebb.wait_for("PostgreSQL has ended; it is started again.")
    wait_until(ebb.is_ready, what="being ready again")

    assert ebb.stop() == 0
    assert ebb.processes() == {}


@pytest.mark.long
def test_up_starts_again_after_the_supervisor_was_killed(ebb: Ebb) -> None:
    ebb.start()
    ebb.wait_for("Ebb is ready: ")
    before, postmaster = ebb.processes(), ebb.postmaster()
    ebb.stop(signal.SIGKILL)
    assert before["uvicorn"].is_running()

    ebb.start()
    ebb.wait_for("Ebb is ready: ")

    assert not before["uvicorn"].is_running()
    assert not before["config worker"].is_running()
    assert ebb.postmaster() == postmaster
    with urllib.request.urlopen(f"http://127.0.0.1:{ebb.port}/api/v1/health/live") as answer:
        assert answer.status == 200
    assert ebb.stop(signal.SIGINT) == 0
    assert ebb.processes() == {}


def test_up_on_a_taken_port_says_one_line(ebb: Ebb) -> None:
    with socket.create_server(("127.0.0.1", ebb.port)):  # beside the one that only holds it
        said = ebb.fail()
    assert said == [
        f"Ebb cannot listen on 127.0.0.1:{ebb.port}: Address already in use."
        " Choose another port with EBB_PORT."
    ]
    assert ebb.processes() == {}


@pytest.mark.parametrize(
    ("address", "line"),
    [
        (
            "postgresql://ebb:secret@127.0.0.1:1/ebb",
            "The database in DATABASE_URL does not answer: ",
        ),
        ("mysql://ebb:secret@127.0.0.1/ebb", "DATABASE_URL must look like postgresql://"),
        ("postgresql://ebb:secret@127.0.0.1:port/ebb", "A setting is wrong: "),
    ],
)
def test_up_with_a_broken_database_url_says_one_line(ebb: Ebb, address: str, line: str) -> None:
    ebb.environment["DATABASE_URL"] = address
    [said] = ebb.fail()
    assert said.startswith(line)
    assert "secret" not in said
    assert ebb.processes() == {}


def test_up_with_a_model_that_is_not_there_says_one_line(ebb: Ebb) -> None:
    with held_port() as nobody:  # bound and not listening: connections are refused
        ebb.environment["OPENAI_BASE_URL"] = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        [said] = ebb.fail()
    assert said.startswith("The model cannot be reached.")
    assert ebb.processes() == {}
