"""Whether a file would go in whole: what one line alone cannot say.

The ids that were met are noted in a file of their own, so that a large import takes no memory.
"""

import sqlite3
from uuid import UUID

from memory.models import Space
from memory.transfer.identity import places
from memory.transfer.sections import section_of
from memory.transfer.sources import Entry


class Checked:
    """The rows met so far."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._met = sqlite3.connect("")  # a temporary file, gone with the connection
        self._met.execute("PRAGMA journal_mode = OFF")
        self._met.execute("CREATE TABLE met (kind, id, PRIMARY KEY (kind, id)) WITHOUT ROWID")

    def wrong(self, entry: Entry) -> str:
        """Why this row, after those before it, could not be written; "" if it could."""
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
        """False if it was met before."""
        statement = "INSERT OR IGNORE INTO met VALUES (?, ?)"
        return self._met.execute(statement, (kind, id_.bytes)).rowcount == 1

    def _is_there(self, kind: str, id_: UUID) -> bool:
        row = self._met.execute("SELECT 1 FROM met WHERE kind = ? AND id = ?", (kind, id_.bytes))
        if row.fetchone():
            return True
        section = section_of(kind)
        return section is not None and places(self._space, section, [id_])[id_].known
