"""Manages one process of `make up`: start, output, restarts and stop."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from django.conf import settings

from operations.startup.run_file import RunFile

_STEADY = 30.0  # seconds after which earlier deaths of a process no longer count
_LONGEST_PAUSE = 30.0  # seconds
# Beginnings of lines, in both formats of the log.
_JSON = '{"level": "'
_LEVELS = ("WARNING", "ERROR", "CRITICAL")
_LOUD = (*_LEVELS, *(_JSON + level for level in _LEVELS), "Traceback")
_QUIET = ("DEBUG", "INFO", f"{_JSON}DEBUG", f"{_JSON}INFO")


class Process:
    """A process that should run as long as Ebb does."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        logs: Path,
        run_file: RunFile,
        say: Callable[[str], None],
    ) -> None:
        self.name = name
        self._command = command
        self._log_path = logs / f"{name}.log"
        self._run_file = run_file
        self._say = say
        self._popen: subprocess.Popen[str] | None = None
        self._started_at = self._start_again_at = 0.0
        self._deaths = 0

    def start(self) -> None:
        """Start the process in its own group, so that Ctrl-C reaches only the supervisor."""
        log = self._log_path.open("a", buffering=1)
        self._popen = subprocess.Popen(  # noqa: S603 - our own commands
            self._command,
            # `python -m` imports from the current folder. Elsewhere than in Ebb's own, another
            # module `config` or `memory` might be there.
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._started_at = time.monotonic()
        self._run_file.add(self._popen.pid)
        threading.Thread(target=self._sort, args=(self._popen.stderr, log), daemon=True).start()

    def look_after(self) -> None:
        """Restart the process if it has died: at once, then after increasing pauses."""
        now = time.monotonic()
        if self._popen is None:
            if now >= self._start_again_at:
                self.start()
        elif (code := self._popen.poll()) is not None:
            self._run_file.remove(self._popen.pid)
            self._signal(signal.SIGKILL)  # also ends the processes that it had started
            self._popen = None
            self._deaths = 1 if now - self._started_at > _STEADY else self._deaths + 1
            self._start_again_at = now + min(0.1 * 3 ** (self._deaths - 1), _LONGEST_PAUSE)
            self._say_death(code)

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the process group."""
        self._signal(signal.SIGTERM)

    def stop(self, *, deadline: float) -> None:
        """Wait for the end of the process; kill its group at `deadline` (monotonic seconds)."""
        if self._popen is not None:
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(max(0.0, deadline - time.monotonic()))
            self._signal(signal.SIGKILL)
            self._popen.wait()
            self._run_file.remove(self._popen.pid)

    def _say_death(self, code: int) -> None:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        if self._deaths < 4:
            self._say(f"{self.name} {how}; it is started again.")
        elif self._deaths == 4:
            self._say(f"{self.name} keeps ending; see {self._log_path}")

    def _signal(self, number: signal.Signals) -> None:
        if self._popen is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, number)

    def _sort(self, lines: Iterable[str], log: IO[str]) -> None:
        """Write all output to the log, and warnings and errors to the screen, without
        tracebacks.
        """
        shown = True
        with suppress(OSError), log:
            for line in lines:
                # On a full disk, continue reading: otherwise the process would block on its output.
                with suppress(OSError):
                    log.write(line)
                shown = line.startswith(_LOUD) or (shown and not line.startswith(_QUIET))
                if shown and not line[0].isspace():
                    self._say(f"{self.name} | {line.rstrip()}")
