"""Encrypted backups: who has the passphrase or the key restores them, nobody else."""

from pathlib import Path

import pytest
from django.utils import timezone
from pyrage import x25519
from pytest_django import Settings

from config.backup import BackupError, back_up, restore
from memory.models import Memory, Space, WorkerHeartbeat
from tests.memory.writing import remember
from tests.processes import test_database_url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(space: Space, settings: Settings, tmp_path: Path) -> Path:
    settings.DATABASE_URL = test_database_url()
    WorkerHeartbeat.objects.all().delete()
    remember(space, "User likes pizza")
    return tmp_path / "ebb.backup"


def restored(file: Path, identity: Path | None = None) -> list[str]:
    """Restore the backup over what was written after it, and return what is remembered then."""
    restore(
        file, identity=identity, replace=True, even_if_running=True, now=timezone.now(), say=print
    )
    return remembered()


def remembered() -> list[str]:
    return sorted(Memory.objects.values_list("content", flat=True))


def test_a_passphrase_opens_a_backup(file: Path, space: Space, settings: Settings) -> None:
    settings.EBB_BACKUP_PASSPHRASE = "seven green boats"
    back_up(file, now=timezone.now(), say=print)
    remember(space, "User likes pasta")

    assert file.read_bytes().startswith(b"ebb-backup-key ")
    assert b"memory_memory" not in file.read_bytes()
    settings.EBB_BACKUP_PASSPHRASE = "seven green goats"
    with pytest.raises(BackupError, match="passphrase in EBB_BACKUP_PASSPHRASE is wrong"):
        restored(file)
    settings.EBB_BACKUP_PASSPHRASE = ""
    with pytest.raises(BackupError, match="encrypted by a passphrase: set EBB_BACKUP_PASSPHRASE"):
        restored(file)
    assert len(remembered()) == 2
    settings.EBB_BACKUP_PASSPHRASE = "seven green boats"
    assert restored(file) == ["User likes pizza"]


def test_a_key_opens_a_backup(file: Path, space: Space, tmp_path: Path) -> None:
    key, other = x25519.Identity.generate(), x25519.Identity.generate()
    for name, one in (("key", key), ("other", other)):
        (tmp_path / name).write_text(f"# public key: {one.to_public()}\n{one}\n")
    back_up(file, recipients=[str(key.to_public())], now=timezone.now(), say=print)
    remember(space, "User likes pasta")

    assert file.read_bytes().startswith(b"age-encryption.org/v1\n")
    with pytest.raises(BackupError, match="add --identity FILE"):
        restored(file)
    with pytest.raises(BackupError, match="does not open this backup"):
        restored(file, tmp_path / "other")
    with pytest.raises(BackupError, match="no identity of age"):
        restored(file, file)
    cut = tmp_path / "cut.backup"
    cut.write_bytes(file.read_bytes()[:-20])  # only the last check misses it
    with pytest.raises(BackupError, match="damaged or incomplete"):
        restored(cut, tmp_path / "key")
    assert len(remembered()) == 2
    assert restored(file, tmp_path / "key") == ["User likes pizza"]


def test_a_recipient_must_be_one(file: Path) -> None:
    with pytest.raises(BackupError, match="'age1bad' is not a recipient of age"):
        back_up(file, recipients=["age1bad"], now=timezone.now(), say=print)

    assert list(file.parent.iterdir()) == []
