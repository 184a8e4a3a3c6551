"""What Ebb keeps in its data folder and settings need: the secret key, the database's address."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def secret_key(data_dir: Path) -> str:
    """The installation's secret key; before the first start, one for this process alone."""
    path = data_dir / "secret_key"
    return path.read_text().strip() if path.exists() else secrets.token_urlsafe(50)


def keep_secret_key(data_dir: Path) -> None:
    """Makes the installation's secret key if it has none, readable by its owner only."""
    path = data_dir / "secret_key"
    if path.exists():
        return
    # Linked into place whole, so that of two processes that start at once the first one wins.
    draft = data_dir / f".secret_key.{os.getpid()}"
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_urlsafe(50))
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()


def database_url(data_dir: Path) -> str:
    """Where the embedded PostgreSQL of this folder listens; `make up` writes it on each start.

    Before the first start there is no file: the address then names a socket that does not exist,
    and connecting says so.
    """
    path = data_dir / "database_url"
    if path.exists():
        return path.read_text().strip()
    return f"postgresql://postgres:@/postgres?host={data_dir / 'postgres'}"
