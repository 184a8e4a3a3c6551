"""Locks of a space, held until the transaction ends.

They are advisory locks instead of locks on the space's row: in a cluster every node has a copy of
that row, so locking it would involve every node (docs/citus.md).
"""

from typing import Literal

from django.db import connection

Name = Literal["changes", "conversation names", "conversations", "sweep", "vectors"]


def lock(space_id: int, name: Name, *, shared: bool = False) -> None:
    """Wait for transactions that hold this lock of the space, then take it. A shared lock only
    waits for transactions that hold it exclusively.
    """
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtextextended(%s, %s))", [f"ebb.{name}", space_id])


def lock_changes(space_id: int) -> None:
    """Exclude other changes to the space as a whole: its policy, its rules, its members, and
    statements that are compared with its memories."""
    lock(space_id, "changes")
