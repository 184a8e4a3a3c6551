"""Checks of a whole file that a single line does not allow.

The ids already read are stored in a temporary file, so that a large import needs little memory.
"""

import sqlite3
from uuid import UUID

from accounts.models import Space
from memory.transfer.identity import places
from memory.transfer.sections import section_of
from memory.transfer.sources import Entry


class Checked:
    """The rows read so far."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._met = sqlite3.connect("")  # a temporary file, deleted with the connection
        self._met.execute("PRAGMA journal_mode = OFF")
        self._met.execute("CREATE TABLE met (kind, id, PRIMARY KEY (kind, id)) WITHOUT ROWID")

    def wrong(self, entry: Entry) -> str:
        """Return the reason why this row could not be written after the rows before it, or ""."""
        section = entry.section
        if section is None:
            return ""
        for column, kind in section.names.items():
            needed = column in section.keys and not section.keys[column].null
            if needed and not self._is_there(kind, entry.row[column]):
                return f"{column}: unknown {kind}"
        if section.has_ids and not self._note(section.kind, entry.row["id"]):
            return "id: the same as on a line before"
        return ""

    def _note(self, kind: str, id_: UUID) -> bool:
        """Record the id; return false if it was read before."""
        statement = "INSERT OR IGNORE INTO met VALUES (?, ?)"
        return self._met.execute(statement, (kind, id_.bytes)).rowcount == 1

    def _is_there(self, kind: str, id_: UUID) -> bool:
        row = self._met.execute("SELECT 1 FROM met WHERE kind = ? AND id = ?", (kind, id_.bytes))
        if row.fetchone():
            return True
        section = section_of(kind)
        return section is not None and places(self._space, section, [id_])[id_].known
