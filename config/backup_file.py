"""The file of a backup: a tar of `manifest.json`, the secret key, and PostgreSQL's dump in parts.

The dump is written and read as a stream, so that a backup needs no room beside its own file. Tar
wants the size of each part before its content; that is why there are parts. The first version of
the format had the dump in one piece, behind which came the key.
"""

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import IO, Any

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
    """Says every five seconds how much is done, of `total` bytes if they are known."""

    def __init__(self, say: Say, verb: str, total: int = 0) -> None:
        self._say, self._verb, self._total = say, verb, total
        self._done, self._said_at = 0, monotonic()

    def add(self, size: int) -> None:
        """Count these bytes."""
        self._done += size
        if monotonic() - self._said_at >= _SAY_EVERY:
            self.say()

    def say(self) -> None:
        """Say how much is done."""
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


def read_manifest(file: Path) -> tuple[dict[str, Any], bytes | None]:
    """Return the manifest and the secret key, if it is in the file. Raises NoBackup."""
    try:
        with tarfile.open(file) as archive:
            names = archive.getnames()
            manifest: Any = json.loads(_content(archive, MANIFEST))
            key = _content(archive, KEY) if KEY in names else None
    except (OSError, KeyError, tarfile.TarError, ValueError) as error:
        raise NoBackup(f": {str(error).partition(chr(10))[0]}") from None  # tarfile lists all tries
    if (
        isinstance(manifest, dict)
        and manifest.get("format") == FORMAT
        and any(map(_is_dump, names))
    ):
        return manifest, key
    raise NoBackup(".")


def _content(archive: tarfile.TarFile, name: str) -> bytes:
    part = archive.extractfile(name)
    if part is None:
        raise KeyError(f"{name} is no file")
    with part:
        return part.read()


def read_dump(file: Path, *, say: Say) -> Iterator[bytes]:
    """Yield the dump in blocks. Raises OSError or TarError if the file is damaged."""
    with tarfile.open(file) as archive:
        parts = sorted(
            (part for part in archive.getmembers() if _is_dump(part.name)),
            key=lambda part: part.name,
        )
        progress = Progress(say, "Restored", sum(part.size for part in parts))
        for part in parts:
            content = archive.extractfile(part)
            if content is None:
                raise tarfile.TarError(f"{part.name} is no file")
            with content:
                while block := content.read(_BLOCK):
                    yield block
                    progress.add(len(block))
        progress.say()


def _is_dump(name: str) -> bool:
    return name == DUMP or name.startswith(f"{DUMP}.")
