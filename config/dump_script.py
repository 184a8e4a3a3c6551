"""Runs the SQL of a dump, but only statements that a dump of Ebb's own tables needs.

A dump can contain any SQL. PostgreSQL would run it with the rights of the restore, and psql would
even run shell commands. So a statement runs only if `dump_statements` knows it. None can create a
function, a trigger or a view, copy from a program or a file, or use another schema. Objects that an
operator added to Ebb's tables, such as triggers, are left out. Any other statement ends the
restore.
"""

import re
from collections.abc import Iterator
from typing import Any

import psycopg

from config.backup_file import Say
from config.dump_statements import begins_rows, is_added, is_known

_LONGEST = 100_000  # bytes of a statement
_BLOCK = 2**16  # bytes of rows that are sent at once

# What pg_restore writes for psql. Ebb sets its own session.
_SESSION = re.compile(
    rb"SET \w+ = (?:'\w*'|\w+);\s*"
    rb"|SELECT pg_catalog\.set_config\('search_path', '', false\);\s*"
    rb"|\\(?:un)?restrict \w+\s*"
)


class ForeignSQL(Exception):
    """The dump has a statement that Ebb does not write; the text shows its beginning."""

    def __init__(self, statement: bytes) -> None:
        super().__init__(
            f"The backup has SQL that Ebb does not write, and is refused: {_shown(statement)}"
        )


def run(script: Iterator[bytes], connection: psycopg.Connection[Any], *, say: Say) -> None:
    """Run a script of pg_restore, line by line. Raises ForeignSQL, or an error of psycopg."""
    copied = False
    for statement in _statements(script):
        if copied and statement.startswith((b"ALTER", b"CREATE")):
            say("PostgreSQL builds its indexes…")  # nothing else follows the rows
            copied = False
        if begins_rows(statement):
            copied = True
            with connection.cursor() as cursor, cursor.copy(statement) as table:
                for block in _rows(script):
                    table.write(block)
        elif is_known(statement):
            connection.execute(statement)
        elif is_added(statement):
            say(f"Left out, because it is not Ebb's: {_shown(statement)}")
            _skip_entry(script)
        else:
            raise ForeignSQL(statement)


def _shown(statement: bytes) -> str:
    """Return its beginning as a quoted line: names in it can have control characters."""
    return repr(" ".join(statement[:200].decode(errors="replace").split())[:100])


def _statements(script: Iterator[bytes]) -> Iterator[bytes]:
    """Yield each statement, without comments and what concerns only psql."""
    statement = b""
    for line in script:
        if not statement and (line.startswith(b"--") or not line.strip()):
            continue
        statement += line
        if len(statement) > _LONGEST:
            raise ForeignSQL(statement)
        if _SESSION.fullmatch(statement):
            statement = b""
        elif line.endswith(b";\n"):
            yield statement
            statement = b""
    if statement:
        raise ForeignSQL(statement)


def _rows(script: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the rows of a table in blocks, up to the line that ends them."""
    block = bytearray()
    for line in script:
        if line == b"\\.\n":
            break
        block += line
        if len(block) >= _BLOCK:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def _skip_entry(script: Iterator[bytes]) -> None:
    """Read up to the comment before the next object: a rule can have several statements."""
    for line in script:
        if line == b"--\n":
            break
