"""pytest plugin in the place of tests.database: the tests run on a distributed database.

It leaves out what would be the same on one PostgreSQL, and says so at the end.
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
_LEFT_OUT = pytest.StashKey[int]()

_WHOLE = ("tests/citus/", "tests/config/")  # processes, pages and all calls
_RECALL = "tests/memory/recall/test_recall"
# What such a database does not have, by the beginning of the test's name.
ELSEWHERE = {
    "tests/operations/test_database.py": "plans of one PostgreSQL",
    "tests/operations/test_doctor.py": "no cluster",
    "tests/operations/test_distribution.py": "pretends a cluster",
    "tests/memory/embeddings/test_index_builds.py": "waits inside one PostgreSQL",
    "tests/memory/test_space_keys.py::test_a_new_table": "reverses a migration at its end",
    "tests/memory/test_space_keys.py::test_the_keys": "takes keys away that a shard needs",
    "tests/memory/store/test_conversations.py::test_whatever": "five minutes of generated cases",
    "tests/memory/transfer/test_files.py::test_an_error_inside": "needs a trigger on shards",
    f"{_RECALL}_large.py::test_a_small_space_beside": "plans of one PostgreSQL",
    f"{_RECALL}_large.py::test_the_nearest_come_from": "plans of one PostgreSQL",
    f"{_RECALL}_large.py::test_the_index_of_words_serves": "plans of one PostgreSQL",
    f"{_RECALL}.py::test_small_space_beside": "builds an index within a transaction",
    f"{_RECALL}.py::test_a_connection_keeps_a_plan": "the coordinator plans each search again",
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for name, reason in ELSEWHERE.items():
            if item.nodeid.startswith(name):
                item.add_marker(pytest.mark.skip(reason=reason))
    kept = _kept(items)
    chosen = {item.nodeid for item in kept}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    config.stash[_LEFT_OUT] = len(items) - len(kept)
    items[:] = kept


def _kept(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return what takes an hour instead of several: `_WHOLE`, and of the other tests that reach
    the database the first case."""
    kept: dict[str, pytest.Item] = {}
    for item in items:
        if item.nodeid.startswith(_WHOLE):
            kept[item.nodeid] = item
        elif _fixtures(item) & {"db", "transactional_db"}:
            kept.setdefault(item.nodeid.split("[")[0], item)
    return list(kept.values())


def _fixtures(item: pytest.Item) -> set[str]:
    names = set(getattr(item, "fixturenames", []))
    marker = item.get_closest_marker("django_db")
    if marker is not None:
        names.add("transactional_db" if marker.kwargs.get("transaction") else "db")
    return names


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    terminalreporter.write_line(
        f"Left out: {config.stash[_LEFT_OUT]} tests that reach no database or are further cases of"
        " a test that ran. Skipped tests are named above."
    )


@pytest.fixture(scope="session")
def cluster(pytestconfig: pytest.Config) -> Cluster:
    """The cluster of this run."""
    return pytestconfig.stash[_CLUSTER]


def pytest_unconfigure(config: pytest.Config) -> None:
    if (cluster := config.stash.get(_CLUSTER, None)) is not None:
        cluster.end()
    if (folder := config.stash.get(_FOLDER, None)) is not None:
        shutil.rmtree(folder, ignore_errors=True)
