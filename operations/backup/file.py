"""The file of a backup: a tar of the secret key, if Ebb keeps it, and of pg_dump's custom format.

Not pg_dump's directory format: its table of contents names files, and pg_restore reads them,
whichever files of this machine they are.
"""

import tarfile
from pathlib import Path
from shutil import copyfileobj

KEY, DUMP = "secret_key", "database.dump"
_LONGEST = 1000  # bytes of the key


class NoBackup(Exception):
    """The file is not a backup of Ebb; the text says why."""


def write(file: Path, *, key: Path, dump: Path) -> None:
    """Write a backup."""
    with tarfile.open(file, mode="w") as archive:
        for path, name in ((key, KEY), (dump, DUMP)):
            if path.exists():
                archive.add(path, name)


def read(file: Path, *, key: Path, dump: Path) -> None:
    """Copy the parts of a backup into these files; `key` only if it has one. Raises NoBackup."""
    try:
        with tarfile.open(file, mode="r:") as archive:  # a compressed one can be endless
            part = archive.next()
            if part is not None and part.name == KEY and part.size <= _LONGEST:
                _copy(archive, part, key)
                if not (key.read_bytes().strip() and key.read_bytes().isascii()):
                    raise NoBackup(f"Its {KEY} is not text.")
                part = archive.next()
            if part is None or part.name != DUMP or part.issparse():
                raise NoBackup(f"It has no {DUMP}.")
            _copy(archive, part, dump)
    except (tarfile.TarError, RecursionError) as error:
        raise NoBackup(f"{str(error).partition(chr(10))[0]}.") from None


def _copy(archive: tarfile.TarFile, part: tarfile.TarInfo, path: Path) -> None:
    source = archive.extractfile(part) if part.isreg() else None
    if source is None:
        raise NoBackup(f"Its {part.name} is no file.")
    with source, path.open("wb") as target:
        copyfileobj(source, target)
