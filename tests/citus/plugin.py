"""pytest plugin in the place of tests.database: the tests run on a distributed database.

There is no test database: the cluster's own is migrated and distributed, and ends with the run.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from tests.citus.cluster import Cluster
from tests.database import forget_own_variables

_CLUSTER = pytest.StashKey[Cluster]()
_FOLDER = pytest.StashKey[Path]()

# What such a database does not have, by the beginning of the test's name.
ELSEWHERE = {
    "tests/config/test_database.py": "plans of one PostgreSQL",
    "tests/config/test_doctor.py": "no cluster",
    "tests/config/test_distribution.py": "pretends a cluster",
    "tests/memory/embeddings/test_index_builds.py": "waits inside one PostgreSQL",
    "tests/memory/test_space_keys.py::test_the_keys": "takes keys away that a shard needs",
}


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    forget_own_variables()
    cluster = early_config.stash[_CLUSTER] = Cluster()
    folder = early_config.stash[_FOLDER] = Path(tempfile.mkdtemp(prefix="ebb-test-"))
    os.environ["EBB_DATA_DIR"] = str(folder)
    os.environ["DATABASE_URL"] = cluster.coordinator.url()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"


class _Prepared:
    """The fixture of pytest-django that would make a test database."""

    @pytest.fixture(scope="session")
    @classmethod
    def django_db_setup(
        cls, django_test_environment: None, django_db_blocker: DjangoDbBlocker
    ) -> None:
        with django_db_blocker.unblock():
            call_command("migrate", verbosity=0, interactive=False)
            call_command("distribute", verbosity=0)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Prepared(), "distributed database")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for name, reason in ELSEWHERE.items():
            if item.nodeid.startswith(name):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> Cluster:
    """The cluster of this run."""
    return pytestconfig.stash[_CLUSTER]


def pytest_unconfigure(config: pytest.Config) -> None:
    if (cluster := config.stash.get(_CLUSTER, None)) is not None:
        cluster.end()
    if (folder := config.stash.get(_FOLDER, None)) is not None:
        shutil.rmtree(folder, ignore_errors=True)
