"""Runs the SQL of a dump, but only statements that a dump of Ebb's own tables needs.

A dump can contain any SQL. PostgreSQL would run it with the rights of the restore, and psql would
even run shell commands. So a statement runs only if its kind and the functions that it calls are
known. None can create a function, a trigger or a view, copy from a program or a file, or use
another schema.
"""

import re
from collections.abc import Iterator
from typing import Any

import psycopg

from config.backup_file import Say

_LONGEST = 100_000  # bytes of a statement
_BLOCK = 2**16  # bytes of rows that are sent at once

_NAME = rb'(?:[a-z_][a-z0-9_]{0,62}|"[\w ]{1,63}")'
_TABLE = rb"public\." + _NAME
# What pg_restore writes for psql. Ebb sets its own session.
_SESSION = re.compile(
    rb"SET \w+ = (?:'\w*'|\w+);\s*"
    rb"|SELECT pg_catalog\.set_config\('search_path', '', false\);\s*"
    rb"|\\(?:un)?restrict \w+\s*"
)
_COPY = re.compile(rb"COPY %b \(%b(?:, %b)*\) FROM stdin;\s*" % (_TABLE, _NAME, _NAME))
# Nothing in these can be chosen.
_WHOLE = re.compile(
    rb"CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;\s*"
    rb"|SELECT pg_catalog\.setval\('%b', \d+, (?:true|false)\);\s*"
    rb"|ALTER TABLE (?:ONLY )?%b ALTER COLUMN %b SET (?:STORAGE \w+|STATISTICS \d+);\s*"
    % (_TABLE, _TABLE, _NAME)
)
_HEAD = re.compile(
    rb"CREATE (?:UNLOGGED )?TABLE %b(?= \()"
    rb"|CREATE (?:UNIQUE )?INDEX %b ON (?:ONLY )?%b USING \w+(?= \()"
    rb"|ALTER TABLE (?:ONLY )?%b\s+ADD CONSTRAINT %b(?= )"
    rb"|ALTER TABLE %b ALTER COLUMN %b ADD GENERATED (?:BY DEFAULT|ALWAYS) AS IDENTITY(?= \()"
    % (_TABLE, _NAME, _TABLE, _TABLE, _NAME, _TABLE, _NAME)
)
_TOKEN = re.compile(
    rb"""\s+|'(?:[^'\\]|'')*'|"[\w ]{1,63}"|\w+|[(),.:=<>~!@#%^&|?*+/\[\]-]|;\s*\Z"""
)
# Words before a parenthesis: of SQL, types, and the functions of defaults, checks and indexes.
_CALLS = frozenset(
    b"and any array as check distinct identity in include key not or unique where with "
    b"bit character numeric time timestamp varying "
    b"array_to_tsvector cardinality char_length coalesce gen_random_uuid jsonb_typeof left length "
    b"lower md5 now right statement_timestamp to_tsvector upper".split()
)
_TYPES = frozenset(b"bit halfvec sparsevec vector".split())  # of the extension
_NEVER = frozenset(b"execute select table".split())


class ForeignSQL(Exception):
    """The dump has a statement that Ebb does not write; the text shows its beginning."""

    def __init__(self, statement: bytes) -> None:
        shown = " ".join(statement[:200].decode(errors="replace").split())[:100]
        super().__init__(f"The backup has SQL that Ebb does not write, and is refused: {shown!r}")


def run(script: Iterator[bytes], connection: psycopg.Connection[Any], *, say: Say) -> None:
    """Run a script of pg_restore, line by line. Raises ForeignSQL, or an error of psycopg."""
    copied = False
    for statement in _statements(script):
        if copied and statement.startswith((b"ALTER", b"CREATE")):
            say("PostgreSQL builds its indexes…")  # nothing else follows the rows
            copied = False
        if _COPY.fullmatch(statement):
            copied = True
            with connection.cursor() as cursor, cursor.copy(statement) as table:
                for block in _rows(script):
                    table.write(block)
        elif _WHOLE.fullmatch(statement) or _is_known(statement):
            connection.execute(statement)
        else:
            raise ForeignSQL(statement)


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


def _is_known(statement: bytes) -> bool:
    """Return whether Ebb's dumps have such statements: the kind, and each call and name in it."""
    head = _HEAD.match(statement)
    tokens = _tokens(statement, head.end()) if head else None
    if tokens is None or tokens[-1].rstrip() != b";":
        return False
    words = [token.strip(b'"').lower() for token in tokens]
    return _NEVER.isdisjoint(words) and all(
        _is_harmless(tokens, words, place) for place in range(1, len(tokens))
    )


def _tokens(statement: bytes, start: int) -> list[bytes] | None:
    """Return the tokens from there on; None if there is anything else, such as `$` or `\\`."""
    tokens = []
    while start < len(statement):
        token = _TOKEN.match(statement, start)
        if token is None:
            return None
        tokens.append(token[0])
        start = token.end()
    return tokens


def _is_harmless(tokens: list[bytes], words: list[bytes], place: int) -> bool:
    """Return whether the token at that place is harmless after those before it."""
    token, before = tokens[place], tokens[place - 1]
    if token in (b"-", b"*") and before == {b"-": b"-", b"*": b"/"}[token]:
        return False  # a comment
    if token[:1] in b"'\"" and re.fullmatch(rb"\w+|&", before):
        return False  # another kind of string, as in E'\n'
    if token == b".":
        return words[place - 1] in (b"public", b"pg_catalog") or before.isdigit()
    if token != b"(":
        return True
    back = place - (1 if tokens[place - 1].strip() else 2)  # without white space
    if back < 0 or not re.fullmatch(rb'\w+|"[\w ]+"', tokens[back]):
        return True
    if back >= 2 and tokens[back - 1] == b"." and words[back - 2] == b"public":
        return words[back] in _TYPES or words[max(back - 4, 0)] == b"references"
    return words[back] in _CALLS
