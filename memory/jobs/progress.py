"""Progress of a job on the command line, as a line on standard error."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TextIO

from django.utils.translation import gettext as _

_TICK = 0.5  # seconds


class ProgressLine:
    """`45%, 0:02:10 left`, redrawn in place on a terminal; elsewhere one line per tenth."""

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self._stream = stream
        self._tenth = -1

    def show(self, done: int, total: int | None, left: timedelta | None) -> None:
        """Write the progress; nothing without a total."""
        if not total:
            return
        part = min(1.0, done / total)
        text = f"{part:4.0%}"
        if left is not None:
            text += ", " + _("%(time)s left") % {
                "time": timedelta(seconds=round(left.total_seconds()))
            }
        if self._stream.isatty():
            self._write(f"\r{text:<40}")
        elif int(part * 10) > self._tenth:
            self._tenth = int(part * 10)
            self._write(f"{text}\n")

    def end(self) -> None:
        """End the line on a terminal."""
        if self._stream.isatty():
            self._write("\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@contextmanager
def shown(look: Callable[[ProgressLine], None], stream: TextIO) -> Iterator[None]:
    """Call `look` twice a second while the work inside runs, and once at its end."""
    line, ended = ProgressLine(stream), threading.Event()

    def run() -> None:
        while not ended.wait(_TICK):
            look(line)
        look(line)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        line.end()
