"""The check that SQL names the space of each per-space table: what it accepts, what it reports."""

import sys
from types import FrameType

import pytest
from pglast.parser import ParseError

from accounts.models import Space, User
from memory.models import Memory, MemoryEmbedding
from tests.cluster_rules import BESIDE, MOVED
from tests.space_names import (
    ACROSS_SPACES,
    ROOT,
    Watch,
    caller,
    per_space_tables,
    refused_in,
    unnamed_in,
)

M, E = "memory_memory", "memory_memoryembedding"

NAMED = [
    f"SELECT id FROM {M} WHERE space_id = %s",
    f"SELECT id FROM {M} WHERE space_id = %(space)s::bigint AND status = 'live'",
    f'SELECT "{M}"."id" FROM "{M}" WHERE (NOT "{M}"."core" AND "{M}"."space_id" = 5) LIMIT 3',
    f"SELECT 1 FROM {M} m JOIN {E} e ON e.memory_id = m.id AND e.space_id = m.space_id"
    " WHERE m.space_id = 5",
    f"SELECT 1 FROM {M} m LEFT JOIN {E} e ON (e.memory_id = m.id AND (m.space_id = (e.space_id)))"
    " WHERE 5 = m.space_id",
    f"SELECT 1 FROM {M} m JOIN accounts_space s ON s.id = m.space_id WHERE s.id = %s",
    f"SELECT 1 FROM {M} m WHERE m.space_id = 5 AND EXISTS (SELECT 1 FROM {E} u0"
    " WHERE u0.space_id = (m.space_id) AND u0.memory_id = m.id)",
    f"WITH held AS MATERIALIZED (SELECT id FROM {M} WHERE space_id = 5 FOR UPDATE SKIP LOCKED),"
    f" gone AS (DELETE FROM {E} WHERE space_id = 5 AND memory_id IN (TABLE held))"
    " SELECT count(*) FROM held",
    f"UPDATE {M} m SET search = new.a::tsvector FROM json_to_recordset(%s) AS new(id uuid, a text)"
    " WHERE m.space_id = %s AND m.id = new.id",
    f"INSERT INTO {M} (id, space_id) VALUES (%s, %s), (%s, %s) ON CONFLICT DO NOTHING",
    f"INSERT INTO {E} (space_id, memory_id) SELECT space_id, id FROM {M} WHERE space_id = %s",
    f"SELECT id, vector <=> %s FROM {E} WHERE space_id = 5 ORDER BY vector <#> %s LIMIT 5",
    f"SELECT 1 FROM {M} WHERE space_id = 5 UNION SELECT 2 FROM {M} WHERE space_id = 6",
    "SELECT slug FROM accounts_space WHERE slug LIKE '%%a'",
    f"TRUNCATE {M}, {E}",
]  # fmt: skip
UNNAMED = [
    (f"SELECT id FROM {M} WHERE id = %s", [M]),
    (f"SELECT id FROM {M} WHERE space_id = 5 OR core", [M]),
    (f"SELECT id FROM {M} WHERE NOT (space_id = 5)", [M]),
    (f"SELECT id FROM {M} WHERE space_id >= 5 AND space_id <= 5", [M]),
    (f"SELECT id FROM {M} WHERE space_id BETWEEN 5 AND 5", [M]),
    (f"SELECT id FROM {M} WHERE space_id = ANY(%s)", [M]),
    (f"SELECT id FROM {M} WHERE space_id = (SELECT id FROM accounts_space WHERE slug = 'a')", [M]),
    (f"SELECT 1 FROM {M} m JOIN {E} e ON e.memory_id = m.id WHERE m.space_id = 5", [f"{E} e"]),
    (f"SELECT 1 FROM {M} m JOIN {E} e ON e.space_id = m.space_id", [f"{M} m", f"{E} e"]),
    (f"SELECT 1 FROM {M} m JOIN accounts_space s ON s.id = m.space_id WHERE s.slug = 'a'",
     [f"{M} m"]),
    (f"SELECT 1 FROM {M} m WHERE m.space_id = 5 AND m.id IN (SELECT u0.memory_id FROM {E} u0)",
     [f"{E} u0"]),
    (f"SELECT 1 FROM {M} m WHERE EXISTS (SELECT 1 FROM {E} u0"
     " WHERE u0.space_id = m.space_id AND u0.space_id = 5)", [f"{M} m"]),
    (f"UPDATE {M} SET core = true WHERE id = %s", [M]),
    (f"DELETE FROM {E} WHERE id IN (SELECT u0.id FROM {E} u0 WHERE u0.space_id = 5)", [E]),
    (f"INSERT INTO {E} (space_id, memory_id) SELECT space_id, id FROM {M}", [M]),
    (f"WITH few AS (SELECT id FROM {M}) SELECT * FROM few", [M]),
]  # fmt: skip


@pytest.mark.parametrize("statement", NAMED)
def test_statements_that_name_each_space(statement: str) -> None:
    assert unnamed_in(statement) == ()


@pytest.mark.parametrize(("statement", "tables"), UNNAMED)
def test_statements_that_do_not_name_a_space(statement: str, tables: list[str]) -> None:
    assert list(unnamed_in(statement)) == tables


@pytest.mark.parametrize(
    ("statement", "reasons"),
    [
        (f"UPDATE {M} SET expires_at = (created_at + make_interval(secs => 5)) WHERE space_id = 5",
         [MOVED]),
        (f"UPDATE {M} SET expires_at = CASE WHEN core THEN %s::timestamptz - 3 * interval '1 day'"
         " END WHERE space_id = 5", [MOVED]),
        (f"UPDATE {M} SET core = true WHERE space_id = 5 AND created_at + interval '1 day' < %s",
         [MOVED]),
        (f"DELETE FROM {M} WHERE space_id = 5 AND binned_at + interval '30 days' < %s", [MOVED]),
        (f"DELETE FROM {M} WHERE space_id = 5 AND binned_at < %s", []),
        (f"UPDATE {M} SET expires_at = ((created_at AT TIME ZONE 'UTC'"
         " + make_interval(secs => 5)) AT TIME ZONE 'UTC') WHERE space_id = 5", []),
        (f"SELECT created_at + interval '1 day' FROM {M} WHERE space_id = 5", []),
        ("UPDATE accounts_apikey SET spent_until = %s::timestamptz + interval '1 day'", []),
        (f"SELECT 1 FROM memory_modelconnection c CROSS JOIN LATERAL (SELECT id FROM {M}"
         " WHERE space_id = 5 AND content = c.name) AS few", [BESIDE]),
        (f"SELECT 1 FROM few, LATERAL (SELECT id FROM {M} WHERE space_id = 5 AND id = few.id) AS a",
         []),
    ],
)  # fmt: skip
def test_statements_that_a_cluster_refuses(statement: str, reasons: list[str]) -> None:
    assert list(refused_in(statement)) == reasons


def test_a_statement_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ParseError):
        unnamed_in(f"SELECT FROM WHERE {M}")


def test_the_tables_are_those_with_a_space() -> None:
    tables = per_space_tables()

    assert {model._meta.db_table for model in (Memory, MemoryEmbedding)} <= tables
    assert not {model._meta.db_table for model in (Space, User)} & tables


def test_a_statement_of_the_product_is_reported_and_one_of_the_tests_is_not() -> None:
    watched, statement = Watch(), f"SELECT id FROM {M}"
    code = compile("frames.append(sys._getframe())", str(ROOT / "foundation" / "actors.py"), "exec")
    frames: list[FrameType] = []
    exec(code, {"frames": frames, "sys": sys})
    product = frames[0]

    watched.see(statement, sys._getframe())
    assert watched.found == []
    watched.see(statement, product)
    watched.see(f"UPDATE {M} SET expires_at = expires_at + interval '1 day'"
                " WHERE space_id = 1", product)  # fmt: skip
    assert len(watched.found) == 2
    assert MOVED in watched.found[1]
    assert watched.found[0].startswith("foundation/actors.py:<module> does not name the space of")
    assert caller(product) == "foundation/actors.py:<module>"


def test_the_functions_that_may_read_all_spaces_exist() -> None:
    for name, reason in ACROSS_SPACES.items():
        path, _, function = name.partition(":")
        source = (ROOT / path).read_text("utf-8")
        assert f"def {function.rpartition('.')[2]}(" in source, name
        assert reason
