"""Decides which statements of a dump may run: those that a dump of Ebb's own tables needs.

A statement may run in one of two cases:

- It has a form in which nothing can be chosen, as `setval` of a sequence (`_FIXED`).
- It begins as a table, index, constraint or identity of Ebb does (`_BEGINNING`), and its tokens
  pass three rules. A token is one of `_TOKEN`, which excludes comments, `$` and backslashes. No
  word begins a query (`_NEVER`). A name after a dot is in a schema that only PostgreSQL and Ebb
  fill. A name before a parenthesis is a word, type or function that Ebb uses (`_CALLS`).
"""

import re

_NAME = rb'(?:[a-z_][a-z0-9_]{0,62}|"[\w ]{1,63}")'
_TABLE = rb"public\." + _NAME
_COPY = re.compile(rb"COPY %b \(%b(?:, %b)*\) FROM stdin;\s*" % (_TABLE, _NAME, _NAME))
_FIXED = re.compile(
    rb"CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;\s*"
    rb"|SELECT pg_catalog\.setval\('%b', \d+, (?:true|false)\);\s*"
    rb"|ALTER TABLE (?:ONLY )?%b ALTER COLUMN %b SET (?:STORAGE \w+|STATISTICS \d+);\s*"
    % (_TABLE, _TABLE, _NAME)
)
_BEGINNING = re.compile(
    rb"CREATE (?:UNLOGGED )?TABLE %b(?= \()"
    rb"|CREATE (?:UNIQUE )?INDEX %b ON (?:ONLY )?%b USING \w+(?= \()"
    rb"|ALTER TABLE (?:ONLY )?%b\s+ADD CONSTRAINT %b(?= )"
    rb"|ALTER TABLE %b ALTER COLUMN %b ADD GENERATED (?:BY DEFAULT|ALWAYS) AS IDENTITY(?= \()"
    % (_TABLE, _NAME, _TABLE, _TABLE, _NAME, _TABLE, _NAME)
)
# Objects that an operator may have added to Ebb's tables. Ebb's own indexes and constraints are
# known.
_ADDED = re.compile(
    rb"CREATE (?:(?:CONSTRAINT )?TRIGGER|RULE|POLICY|(?:MATERIALIZED )?VIEW) "
    rb"|CREATE (?:UNIQUE )?INDEX "
    rb"|REFRESH MATERIALIZED VIEW "
    rb"|ALTER TABLE (?:ONLY )?%b\s+(?:ADD CONSTRAINT|CLUSTER|DISABLE|ENABLE|FORCE|REPLICA) "
    % _TABLE
)
_TOKEN = re.compile(
    rb"\s+"
    rb"|'(?:[^'\\]|'')*'"
    rb'|"[\w ]{1,63}"'
    rb"""|\w++(?!['"])"""  # not E'\'', which has other rules
    rb"""|&(?!['"])"""  # not U&'\0027'
    rb"|-(?!-)|/(?!\*)"  # no comments
    rb"|[(),.:=<>~!@#%^|?*+\[\]]"
)
_NAME_TOKEN = re.compile(rb'\w+|"[\w ]+"')
_NEVER = frozenset(b"execute select table".split())
# Words before a parenthesis: of SQL, types, and the functions of defaults, checks and indexes.
_CALLS = frozenset(
    b"and any array as check distinct identity in include key not or unique where with "
    b"bit character numeric time timestamp varying "
    b"array_to_tsvector cardinality char_length coalesce gen_random_uuid jsonb_typeof left length "
    b"lower md5 now right statement_timestamp to_tsvector upper".split()
)
_TYPES = frozenset(b"bit halfvec sparsevec vector".split())  # of the extension, in public


def begins_rows(statement: bytes) -> bool:
    """Return whether the rows of a table follow."""
    return _COPY.fullmatch(statement) is not None


def is_known(statement: bytes) -> bool:
    """Return whether Ebb's dumps have such statements."""
    if _FIXED.fullmatch(statement):
        return True
    beginning = _BEGINNING.match(statement)
    tokens = _tokens(statement, beginning.end()) if beginning else None
    if tokens is None:
        return False
    words = [token.strip(b'"').lower() for token in tokens]
    return (
        _NEVER.isdisjoint(words)
        and all(_is_known_schema(words, at) for at in range(len(words)) if words[at] == b".")
        and all(_is_known_call(tokens, words, at) for at in range(len(words)) if words[at] == b"(")
    )


def is_added(statement: bytes) -> bool:
    """Return whether the statement makes something that an operator added to Ebb's tables."""
    return _ADDED.match(statement) is not None


def _tokens(statement: bytes, start: int) -> list[bytes] | None:
    """Return the tokens from there to the semicolon at the end, without white space.

    None if there is anything else, such as another semicolon.
    """
    tokens, end = [], len(statement.rstrip()) - 1
    while start < end:
        token = _TOKEN.match(statement, start)
        if token is None:
            return None
        if token[0].strip():
            tokens.append(token[0])
        start = token.end()
    return tokens if statement[end:].strip() == b";" else None


def _is_known_schema(words: list[bytes], dot: int) -> bool:
    """Return whether a schema of PostgreSQL or Ebb is before the dot, or digits, as in 0.5."""
    before = words[dot - 1] if dot else b""
    return before in (b"public", b"pg_catalog") or before.isdigit()


def _is_known_call(tokens: list[bytes], words: list[bytes], parenthesis: int) -> bool:
    """Return whether the parenthesis follows no name, or one that Ebb's dumps have there."""
    if parenthesis == 0 or not _NAME_TOKEN.fullmatch(tokens[parenthesis - 1]):
        return True
    *before, name = [b"", b"", b"", *words[:parenthesis]][-4:]
    if before[1:] == [b"public", b"."]:
        return name in _TYPES or before[0] == b"references"
    return name in _CALLS
