"""The SQL that distributes the tables. `make citus-check` runs it on a cluster."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import ForeignKey

from operations.postgres.distribution import (
    FIRST,
    CannotDistribute,
    distributed_tables,
    reference_tables,
    statements,
)
from tests.space_names import models_of_a_space, per_space_tables

# The catalogue of a cluster as far as it is read, in this transaction only.
_CATALOGUE = """
    SET LOCAL allow_system_table_mods = on;
    INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
        SELECT 1, 'citus', extowner, extnamespace, false, '13.0' FROM pg_extension LIMIT 1;
    CREATE TEMPORARY TABLE pg_dist_node (
        groupid int, isactive bool DEFAULT true, noderole text DEFAULT 'primary',
        shouldhaveshards bool);
    CREATE TEMPORARY TABLE pg_dist_partition (
        logicalrelid regclass, partmethod "char", repmodel "char");
"""


def run(statement: str, *values: str | int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)


@pytest.fixture
def cluster(db: None) -> None:
    run(_CATALOGUE)
    run("INSERT INTO pg_dist_node (groupid, shouldhaveshards) VALUES (0, false), (1, true)")


def done(table: str, kind: str) -> None:
    method = ("h", "s") if kind == "distributed" else ("n", "t")
    run("INSERT INTO pg_dist_partition VALUES (%s::regclass, %s, %s)", table, *method)


def test_each_per_space_table_is_distributed_and_what_they_refer_to_is_copied() -> None:
    assert set(distributed_tables()) == per_space_tables()
    assert distributed_tables()[0] == FIRST
    shared = reference_tables()
    assert set(shared) == {"accounts_embedder", "accounts_user", "accounts_space"}
    assert shared.index("accounts_embedder") < shared.index("accounts_space")


@pytest.mark.usefixtures("cluster")
def test_foreign_keys_are_dropped_before_and_made_again_after() -> None:
    found = statements()
    made = [place for place, text in enumerate(found) if "create_" in text]
    dropped = [place for place, text in enumerate(found) if "DROP CONSTRAINT" in text]
    added = [place for place, text in enumerate(found) if "ADD CONSTRAINT" in text]

    keys = [
        field
        for model in models_of_a_space()
        for field in model._meta.fields
        if isinstance(field, ForeignKey)
    ]
    assert len(dropped) == len(added) == len(keys)
    assert max(dropped) < min(made)
    assert max(made) < min(added)
    assert len(made) == len(per_space_tables()) + len(reference_tables())
    # What can be tried here: the keys can be dropped and made again as they are written.
    for place in (*dropped, *added):
        run(found[place])


@pytest.mark.usefixtures("cluster")
def test_a_second_run_does_the_rest() -> None:
    for name in reference_tables():
        done(name, "copied")
    for name in sorted(per_space_tables() - {"memory_jobpart"}):
        done(name, "distributed")

    [_setting, *found] = statements()
    assert [text.split()[-3] for text in found[:2]] == ["DROP", "DROP"]
    assert [text.partition("'")[0] for text in found[2:4]] == [
        "SELECT create_distributed_table(",
        "SELECT truncate_local_data_after_distributing_table(",
    ]
    assert [text.split()[3] for text in found[4:]] == ["ADD", "ADD"]
    assert all("memory_jobpart" in text for text in found)

    done("memory_jobpart", "distributed")
    assert statements() == []


@pytest.mark.usefixtures("cluster")
def test_a_dry_run_prints_the_sql() -> None:
    said = StringIO()
    call_command("distribute", dry_run=True, stdout=said)

    assert said.getvalue().splitlines() == [f"{text};" for text in statements()]


@pytest.mark.parametrize(
    ("missing", "advice"), [(0, "citus_set_coordinator_host"), (1, "citus_add_node")]
)
@pytest.mark.usefixtures("cluster")
def test_an_unfinished_cluster_is_refused(missing: int, advice: str) -> None:
    run("DELETE FROM pg_dist_node WHERE groupid = %s", missing)

    with pytest.raises(CannotDistribute, match=advice):
        statements()


def test_one_postgresql_is_refused(db: None) -> None:
    with pytest.raises(SystemExit, match="does not have the extension Citus"):
        call_command("distribute")
