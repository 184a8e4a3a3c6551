"""The file of a backup: a tar of `manifest.json`, the secret key, and PostgreSQL's dump in parts.

The dump is written and read as a stream, so that a backup needs no additional disk space. It is
split into parts because tar needs the size of each file before its content. In the first version of
the format, the dump was in one piece and the key came after it.
"""

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import IO, Any

from config.backup_encryption import Keys, Locked, decrypted, drain

FORMAT = "ebb-backup"
VERSION = 2
PART = 16 * 2**20  # bytes
MANIFEST, DUMP, KEY = "manifest.json", "database.dump", "secret_key"
_BLOCK = 2**20  # bytes
_SAY_EVERY = 5.0  # seconds

Say = Callable[[str], None]


class NoBackup(Exception):
    """The file is not a backup of Ebb; the text says why."""


class Progress:
    """Reports every five seconds how much is done, of `total` bytes if known."""

    def __init__(self, say: Say, verb: str, total: int = 0) -> None:
        self._say, self._verb, self._total = say, verb, total
        self._done, self._said_at = 0, monotonic()

    def add(self, size: int) -> None:
        """Count these bytes."""
        self._done += size
        if monotonic() - self._said_at >= _SAY_EVERY:
            self.say()

    def say(self) -> None:
        """Report how much is done."""
        self._said_at = monotonic()
        of = f" of {self._total / 1e6:.1f}" if self._total else ""
        self._say(f"{self._verb} {self._done / 1e6:.1f}{of} MB")


def write(
    file: IO[bytes], *, manifest: dict[str, Any], key: bytes | None, dump: IO[bytes], say: Say
) -> None:
    """Write a backup while `dump` is read."""
    progress = Progress(say, "Saved")
    with tarfile.open(fileobj=file, mode="w|") as archive:
        _add(archive, MANIFEST, json.dumps(manifest, indent=1).encode())
        if key is not None:
            _add(archive, KEY, key)
        number = 0
        while part := dump.read(PART):
            _add(archive, f"{DUMP}.{number:06}", part)
            progress.add(len(part))
            number += 1
    progress.say()


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    archive.addfile(entry, io.BytesIO(content))


def read_manifest(file: Path, keys: Keys) -> tuple[dict[str, Any], bytes | None]:
    """Return the manifest and the secret key, if it is in the file. Raises NoBackup, and Locked."""
    found: dict[str, bytes] = {}
    try:
        with decrypted(file, keys) as (content, once), _tar(content, once) as archive:
            for part in archive:
                if part.name in (MANIFEST, KEY):
                    found[part.name] = b"".join(_blocks(archive, part))
                elif _is_dump(part.name):
                    found[DUMP] = b""
                    if once:  # the dump comes last since version 2
                        break
        manifest: Any = json.loads(found[MANIFEST])
    except Locked:
        raise
    except (OSError, KeyError, tarfile.TarError, ValueError) as error:
        raise NoBackup(f": {str(error).partition(chr(10))[0]}") from None  # tarfile lists all tries
    if isinstance(manifest, dict) and manifest.get("format") == FORMAT and DUMP in found:
        return manifest, found.get(KEY)
    raise NoBackup(".")


def read_dump(file: Path, keys: Keys, *, say: Say) -> Iterator[bytes]:
    """Yield the dump in blocks. Raises OSError or TarError if the file is damaged."""
    with decrypted(file, keys) as (content, once), _tar(content, once) as archive:
        total = 0 if once else sum(one.size for one in archive.getmembers() if _is_dump(one.name))
        progress = Progress(say, "Restored", total)
        for part in archive:
            if _is_dump(part.name):
                for block in _blocks(archive, part):
                    yield block
                    progress.add(len(block))
        drain(content)
        progress.say()


def _tar(content: IO[bytes], once: bool) -> tarfile.TarFile:
    return tarfile.open(fileobj=content, mode="r|" if once else "r")


def _blocks(archive: tarfile.TarFile, part: tarfile.TarInfo) -> Iterator[bytes]:
    content = archive.extractfile(part)
    if content is None:
        raise tarfile.TarError(f"{part.name} is no file")
    with content:
        while block := content.read(_BLOCK):
            yield block


def _is_dump(name: str) -> bool:
    return name == DUMP or name.startswith(f"{DUMP}.")
