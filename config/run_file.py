"""What one `make up` leaves for the next: a lock while it runs, and the processes it started.

The lock goes away with the process that holds it, however that ends. The list stays, so that the
next start can end what a killed supervisor left behind, and nothing else.
"""

import fcntl
import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from config.preconditions import StartError

_CLOCK_TOLERANCE = 1.0  # seconds: how exactly a start time survives being read again
_GRACE = 5.0  # seconds for a leftover to end by itself


class RunFile:
    """`run.json` and `run.lock` of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "run.json"
        self._lock_path = data_dir / "run.lock"
        self._lock: IO[str] | None = None
        self._processes: list[dict[str, float]] = []

    def acquire(self) -> None:
        """Takes the data folder for this process. Raises StartError if another one has it."""
        self._lock = self._lock_path.open("a+")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.seek(0)
            owner = self._lock.read().strip()
            raise StartError(
                f"Ebb is already running on {self._path.parent} (process {owner}).\n"
                "Stop it first, or choose another EBB_DATA_DIR and EBB_PORT."
            ) from None
        self._lock.truncate(0)
        self._lock.write(str(os.getpid()))
        self._lock.flush()

    def release(self) -> None:
        """Gives the data folder back before this process ends."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def end_leftovers(self) -> None:
        """Ends the processes of the last run that are still there."""
        left = [process for entry in self._read() if (process := _same_process(entry))]
        for process in left:
            _signal_group(process.pid, signal.SIGTERM)
        psutil.wait_procs(left, timeout=_GRACE)
        for process in left:
            _signal_group(process.pid, signal.SIGKILL)
        psutil.wait_procs(left, timeout=_GRACE)
        self._write()

    def add(self, pid: int) -> None:
        """Notes a process that this run started."""
        with suppress(psutil.NoSuchProcess):
            self._processes.append({"pid": pid, "created": psutil.Process(pid).create_time()})
        self._note()

    def remove(self, pid: int) -> None:
        """Forgets a process that has ended."""
        self._processes = [entry for entry in self._processes if entry["pid"] != pid]
        self._note()

    def _read(self) -> list[dict[str, float]]:
        # A half-written file cannot be: it is replaced whole.
        return json.loads(self._path.read_text()) if self._path.exists() else []

    def _note(self) -> None:
        """Writes the list, if there is room. A disk that is full must not keep anything from being
        stopped, and who reads the list later looks whether each process is still the same."""
        with suppress(OSError):
            self._write()

    def _write(self) -> None:
        draft = self._path.with_suffix(".new")
        draft.write_text(json.dumps(self._processes))
        draft.replace(self._path)


def _same_process(entry: dict[str, float]) -> psutil.Process | None:
    """The noted process, or None if it ended and its number belongs to another one."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(int(entry["pid"]))
        if abs(process.create_time() - entry["created"]) < _CLOCK_TOLERANCE:
            return process
    return None


def _signal_group(pid: int, number: signal.Signals) -> None:
    """Each of our processes leads a group of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
