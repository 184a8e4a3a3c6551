"""The lock of `make up`, and the list of the processes it started.

The lock always ends with its process. The list remains, so that the next start can end exactly the
processes that a killed supervisor left behind.
"""

import fcntl
import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import IO

import psutil

from operations.preconditions import StartError

_CLOCK_TOLERANCE = 1.0  # seconds: accuracy of a process's start time when read again
_GRACE = 5.0  # seconds for a remaining process to end by itself


class RunFile:
    """`run.json` and `run.lock` of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "run.json"
        self._lock_path = data_dir / "run.lock"
        self._lock: IO[str] | None = None
        self._processes: list[dict[str, float]] = []

    def acquire(self) -> None:
        """Lock the data folder for this process. Raises StartError if another process has it."""
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
        """Release the data folder before this process ends."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def end_leftovers(self) -> None:
        """End the remaining processes of the last run."""
        left = [process for entry in self._read() if (process := _same_process(entry))]
        for process in left:
            _signal_group(process.pid, signal.SIGTERM)
        psutil.wait_procs(left, timeout=_GRACE)
        for process in left:
            _signal_group(process.pid, signal.SIGKILL)
        psutil.wait_procs(left, timeout=_GRACE)
        self._write()

    def add(self, pid: int) -> None:
        """Record a process that this run started."""
        with suppress(psutil.NoSuchProcess):
            self._processes.append({"pid": pid, "created": psutil.Process(pid).create_time()})
        self._note()

    def remove(self, pid: int) -> None:
        """Remove an ended process from the list."""
        self._processes = [entry for entry in self._processes if entry["pid"] != pid]
        self._note()

    def _read(self) -> list[dict[str, float]]:
        # The file is always complete: it is replaced as a whole.
        return json.loads(self._path.read_text()) if self._path.exists() else []

    def _note(self) -> None:
        """Write the list if there is room; a full disk must not prevent a stop.

        A stale list is harmless: its reader checks that each process is still the same.
        """
        with suppress(OSError):
            self._write()

    def _write(self) -> None:
        draft = self._path.with_suffix(".new")
        draft.write_text(json.dumps(self._processes))
        draft.replace(self._path)


def _same_process(entry: dict[str, float]) -> psutil.Process | None:
    """Return the recorded process, or None if it ended, even if its number was reused."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(int(entry["pid"]))
        if abs(process.create_time() - entry["created"]) < _CLOCK_TOLERANCE:
            return process
    return None


def _signal_group(pid: int, number: signal.Signals) -> None:
    """Signal the process's group; each of our processes leads its own group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
