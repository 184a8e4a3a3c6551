"""Undo of one line of a digest."""

import re
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from foundation.readers import Reader
from memory.consolidation.undo import undo_proposal
from memory.digest.lines import Line, Undo, lines_of
from memory.digest.sections import in_sections, with_actions
from memory.models import ConsolidationProposal, MemoryEvent, Reason
from memory.models.consolidation import ProposalQuerySet
from memory.reconciliation.discarding import discard_memory, undo_discard
from memory.references import check_change
from memory.store.revisions import revert_memory

_NUMBER = re.compile("[0-9]{1,18}", re.ASCII)


def undo_line(*, space: Space, reader: Reader, line_id: str, actor: Actor, now: datetime) -> Line:
    """Undo a line; return it as it is afterwards.

    Raises NotFound for a line that the reader does not see, Conflict if it cannot be undone any
    more, Forbidden for shared memories if the reader is a user, and EmbeddingError.
    """
    line = find_line(space, reader, line_id)
    check_change(reader, line)
    if line.undo is None:
        raise Conflict(f"This cannot be undone any more. {line.since.label if line.since else ''}")
    _UNDOING[line.undo](space, reader, line, actor, now)
    return find_line(space, reader, line_id)


def find_line(space: Space, reader: Reader, line_id: str) -> Line:
    """Return the line with this id. Raises NotFound."""
    events: list[MemoryEvent] = []
    proposals: list[ConsolidationProposal] = []
    if _NUMBER.fullmatch(line_id):
        rows = MemoryEvent.objects.in_space(space).readable_by(reader)
        events = list(in_sections(rows.filter(pk=int(line_id))))
    elif (proposal_id := _uuid(line_id)) is not None:
        made: ProposalQuerySet = ConsolidationProposal.objects.in_space(space).readable_by(reader)
        proposals = list(with_actions(made.filter(pk=proposal_id)))
    for line in lines_of(space, events, proposals):
        return line
    raise NotFound("Line not found.")


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _unlearn(space: Space, _reader: Reader, line: Line, actor: Actor, now: datetime) -> None:
    """Move the memory to the bin, and restore what it replaced."""
    discard_memory(
        space=space, memory_id=_memory(line), actor=actor, now=now, reason=Reason("undone")
    )


def _revert(space: Space, _reader: Reader, line: Line, actor: Actor, now: datetime) -> None:
    """Restore the version before the revision, unless it was revised again."""
    number = line.revision or 0
    revert_memory(
        space=space,
        memory_id=_memory(line),
        revision=number,
        actor=actor,
        now=now,
        known=number + 1,
    )


def _restore(space: Space, _reader: Reader, line: Line, actor: Actor, now: datetime) -> None:
    """Restore the memory from the bin; what was restored in its place goes back there."""
    undo_discard(space=space, memory_id=_memory(line), actor=actor, now=now)


def _restore_sources(space: Space, reader: Reader, line: Line, actor: Actor, now: datetime) -> None:
    """Undo one proposal of a consolidation."""
    undo_proposal(space=space, reader=reader, proposal_id=UUID(line.id), actor=actor, now=now)


_UNDOING: dict[Undo, Callable[[Space, Reader, Line, Actor, datetime], None]] = {
    Undo.MOVE_TO_BIN: _unlearn,
    Undo.RESTORE_OLDER: _unlearn,
    Undo.REVERT: _revert,
    Undo.RESTORE: _restore,
    Undo.RESTORE_SOURCES: _restore_sources,
}


def _memory(line: Line) -> UUID:
    if line.memory_id is None:
        raise NotFound("Memory not found.")
    return line.memory_id
