"""Encrypted backups: who has the passphrase or the key restores them, nobody else."""

from pathlib import Path

import pyrage
import pytest
from pyrage import x25519
from pytest_django import Settings

from operations.backup.backup import BackupError, back_up
from tests.operations.backups import backup, database, groups, ordinary, restored

__all__ = ["backup", "database", "ordinary"]  # fixtures

pytestmark = pytest.mark.django_db


def test_a_passphrase_opens_a_backup(backup: Path, database: str, settings: Settings) -> None:
    settings.EBB_BACKUP_PASSPHRASE = "seven green boats"
    back_up(backup)

    assert b"secret_key" not in backup.read_bytes()
    settings.EBB_BACKUP_PASSPHRASE = "seven green goats"
    with pytest.raises(BackupError, match="passphrase in EBB_BACKUP_PASSPHRASE is wrong"):
        restored(backup)
    settings.EBB_BACKUP_PASSPHRASE = ""
    with pytest.raises(BackupError, match="encrypted by a passphrase: set EBB_BACKUP_PASSPHRASE"):
        restored(backup)
    settings.EBB_BACKUP_PASSPHRASE = "seven green boats"
    restored(backup)

    assert groups(database) == ["new", "old"]


def test_a_key_opens_a_backup(backup: Path, database: str, tmp_path: Path) -> None:
    key, other = x25519.Identity.generate(), x25519.Identity.generate()
    for name, one in (("key", key), ("other", other)):
        (tmp_path / name).write_text(f"# public key: {one.to_public()}\n{one}\n")
    plain = backup.read_bytes()
    back_up(backup, recipients=[str(key.to_public())])

    assert len(pyrage.decrypt(backup.read_bytes(), [key])) == len(plain)  # as age would
    for identity, reason in (
        (None, "add --identity FILE"),
        (tmp_path / "other", "does not open this backup"),
        (backup, "no identity of age"),
    ):
        with pytest.raises(BackupError, match=reason):
            restored(backup, identity=identity)
    cut = tmp_path / "cut.backup"
    cut.write_bytes(backup.read_bytes()[:-20])  # only the last check misses it
    with pytest.raises(BackupError, match="damaged or incomplete"):
        restored(cut, identity=tmp_path / "key")
    restored(backup, identity=tmp_path / "key")

    assert groups(database) == ["new", "old"]


def test_a_recipient_must_be_one(backup: Path) -> None:
    before = sorted(backup.parent.iterdir())
    with pytest.raises(BackupError, match="'age1bad' is not a recipient of age"):
        back_up(backup.with_name("other"), recipients=["age1bad"])

    assert sorted(backup.parent.iterdir()) == before
