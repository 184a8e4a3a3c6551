"""Files of the data folder that the settings need: the secret key, the database's URL, and notes of
where Ebb runs and at which address.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import psutil

_USUAL = ".ebb"
_NOTE = "running_in"  # in the usual data folder: the data folder where Ebb runs instead
_URL = "url"  # in the data folder where Ebb runs: its address in links


def private_folder(path: Path) -> None:
    """Create the folder if missing, and close it to other users.

    If root runs Ebb, the embedded PostgreSQL runs as a user of its own, who passes through.
    """
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o711 if os.geteuid() == 0 else 0o700)


def secret_key(data_dir: Path) -> str:
    """Return the installation's secret key; before the first start, a temporary one."""
    path = data_dir / "secret_key"
    return path.read_text().strip() if path.exists() else secrets.token_urlsafe(50)


def keep_secret_key(data_dir: Path) -> None:
    """Create the installation's secret key if missing, readable by its owner only."""
    path = data_dir / "secret_key"
    if path.exists():
        return
    # Linked into place as a whole: if two processes start at once, the first one wins.
    draft = data_dir / f".secret_key.{os.getpid()}"
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_urlsafe(50))
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()


def database_url(data_dir: Path) -> str:
    """Return the URL of this folder's embedded PostgreSQL, which `make up` writes on each start.

    Before the first start, the URL names a socket that does not exist; connecting fails with that
    message.
    """
    path = data_dir / "database_url"
    if path.exists():
        return path.read_text().strip()
    return f"postgresql://ebb:@/ebb?host={data_dir / 'postgres'}"


def note_data_dir(home: Path, data_dir: Path) -> None:
    """Note in the usual data folder of `home` that Ebb runs in this one, if they differ."""
    usual = home / _USUAL
    with suppress(OSError):  # the note is a help only
        if data_dir == usual.resolve():
            (usual / _NOTE).unlink(missing_ok=True)
        else:
            private_folder(usual)
            (usual / _NOTE).write_text(str(data_dir))


def noted_data_dir(home: Path) -> Path | None:
    """Return the data folder where Ebb runs; None if it does not run, or in the usual one."""
    usual = home / _USUAL
    try:
        noted = Path((usual / _NOTE).read_text())
    except OSError:
        return None
    return noted if _is_running(noted) and not _is_running(usual) else None


def note_url(data_dir: Path, url: str) -> None:
    """Note the address of the Ebb that starts in this data folder."""
    with suppress(OSError):  # the note is a help only
        (data_dir / _URL).write_text(url)


def running_url(data_dir: Path) -> str | None:
    """Return the address of the Ebb that runs in this data folder; None if none is noted."""
    with suppress(OSError):
        return (data_dir / _URL).read_text() if _is_running(data_dir) else None
    return None


def _is_running(data_dir: Path) -> bool:
    """Return whether the process that last locked this folder exists."""
    try:
        return psutil.pid_exists(int((data_dir / "run.lock").read_text()))
    except (OSError, ValueError):
        return False
