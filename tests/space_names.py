"""Checks the SQL of the whole test suite: a statement names the space of each per-space table.

So every statement can be answered by the one shard that has the space (docs/architecture.md). All
statements pass through `watch`; those of the product that do not name a space fail their test,
except the ones in `ACROSS_SPACES`. So do statements that break another rule of Citus
(tests.cluster_rules).
"""

import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.db.models import Model
from psycopg.sql import Composable

from tests.cluster_rules import REFUSED_WITH, refused
from tests.packages import WITH_TABLES
from tests.space_scopes import unnamed

ROOT: Path = settings.BASE_DIR

# The small tables that every shard holds whole (docs/architecture.md), and the worker's sign of
# life.
SHARED = {
    "Space", "User", "Membership", "Embedder", "ApiKey", "WorkerHeartbeat", "ModelConnection",
    "ModelChoice", "InstallationKey", "InstallationAuditEntry", "LimitCount",
    "Invitation",
}  # fmt: skip

_BEAT = "beat looks for work in all spaces"
_MODERATOR = "the admin's first page counts what waits in all spaces"
_OPERATOR = "an operator sees figures of all spaces"
ACROSS_SPACES: Mapping[str, str] = {
    "assessor/statistics/connection_figures.py:connection_figures": _OPERATOR,
    "assessor/outbox/endings.py:fail_exhausted": _BEAT,
    "assessor/models.py:AssessmentQuerySet.counted_by_state": _OPERATOR,
    "assessor/outbox/turns.py:_spaces_that_wait": "a worker asks in which spaces exchanges wait",
    "chat/replies/leases.py:stop_abandoned": _BEAT,
    "chat/usage/report.py:_days": _OPERATOR,
    "chat/usage/report.py:_rows": _OPERATOR,
    "chat/usage/report.py:usage_report": _OPERATOR,
    "config/admin/queue.py:_full_spaces": _MODERATOR,
    "config/admin/queue.py:_queue": _MODERATOR,
    "operations/monitoring/metrics.py:FromDatabase.collect": _OPERATOR,
    "operations/monitoring/status.py:queue_state": _OPERATOR,
    "memory/embeddings/switching.py:clear_after_switches": _BEAT,
    "memory/jobs/services.py:requeue_due": _BEAT,
    "foundation/database/leases.py:requeue_due": _BEAT,
    "memory/transfer/identity.py:_taken": "ids are unique across spaces",
    "memory/webhooks/deliveries.py:due_webhooks": _BEAT,
    "memory/webhooks/deliveries.py:forget_old": _BEAT,
    "memory/webhooks/services.py:reseal_secrets": "an operator seals the secrets of all spaces",
}
"""Functions whose statements may concern all spaces, and why: by file and name."""

_EXEMPT = ("/admin/", "/admin.py", "/unfold/", "/migrations/", "/commands/flush.py")
"""Code that may concern all spaces: the admin shows them to moderators, and the last one empties
the tables after a test."""
_BY_IDS = re.compile(r'(DELETE FROM|UPDATE|SELECT) .* WHERE "\w+"\."\w+" IN \([%s, ]+\)', re.S)
"""Django deletes a row, and what refers to it, by ids only. All shards then look for the ids."""
_NUMBER = re.compile(r"\b\d+\b")
_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[sbt]")


def models_of_a_space() -> list[type[Model]]:
    """Return the models whose rows belong to one space."""
    packages = [apps.get_app_config(name) for name in WITH_TABLES]
    ours = [model for package in packages for model in package.get_models()]
    return [model for model in ours if model.__name__ not in SHARED]


@lru_cache
def per_space_tables() -> frozenset[str]:
    """Return the names of their tables."""
    return frozenset(model._meta.db_table for model in models_of_a_space())


def unnamed_in(statement: str) -> tuple[str, ...]:
    """Return the per-space tables in a statement whose space it does not name. The statement has
    the placeholders of psycopg."""
    if not any(table in statement for table in per_space_tables()):
        return ()
    return _unnamed(_plain(statement))


@lru_cache(maxsize=5000)  # tests send the same texts again and again, with other spaces' numbers
def _unnamed(statement: str) -> tuple[str, ...]:
    return tuple(unnamed(statement, per_space_tables()))


def refused_in(statement: str) -> tuple[str, ...]:
    """Return what Citus would refuse in a statement with the placeholders of psycopg."""
    if not any(word in statement for word in REFUSED_WITH):
        return ()
    return _refused(_plain(statement))


@lru_cache(maxsize=1000)
def _refused(statement: str) -> tuple[str, ...]:
    return tuple(refused(statement, per_space_tables(), _shared_tables()))


def _shared_tables() -> frozenset[str]:
    return frozenset(model._meta.db_table for model in apps.get_models()) - per_space_tables()


def _plain(statement: str) -> str:
    return _NUMBER.sub("1", _PLACEHOLDER.sub("$1", statement).replace("%%", "%"))


def caller(frame: FrameType | None) -> str:
    """Return the innermost function of the project that sent a statement, as `file:function`;
    empty if that is in the admin, in a migration or in the tests."""
    while frame is not None:
        path = frame.f_code.co_filename
        if any(part in path for part in _EXEMPT):
            return ""
        if path.startswith(f"{ROOT}/") and "/.venv/" not in path:
            file = str(Path(path).relative_to(ROOT))
            function = frame.f_code.co_qualname.partition(".<locals>")[0]
            return "" if file.startswith("tests/") else f"{file}:{function}"
        frame = frame.f_back
    return "unknown"


def _deletes(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.endswith("/django/db/models/deletion.py"):
            return True
        frame = frame.f_back
    return False


class Watch:
    """The statements so far that did not name a space, each with its tables and its caller."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def see(self, statement: object, frame: FrameType | None) -> None:
        """Check a statement that the code at this frame sends."""
        text = statement.as_string() if isinstance(statement, Composable) else statement
        text = text.decode() if isinstance(text, bytes) else str(text)
        wrong = list(refused_in(text))
        tables = unnamed_in(text)
        if tables and not (_BY_IDS.fullmatch(text) and _deletes(frame)):
            why = f"does not name the space of {', '.join(tables)}"
            wrong += [] if caller(frame) in ACROSS_SPACES else [why]
        if wrong and (name := caller(frame)):
            where = "".join(traceback.format_stack(frame)[-12:])
            self.found.append(f"{name} {' and '.join(wrong)}:\n{text}\n{where}")

    @contextmanager
    def during_a_test(self) -> Iterator[None]:
        """Fail at the end of the block if a statement in it did not name its space."""
        self.found.clear()
        yield
        if self.found:
            pytest.fail("\n\n".join(self.found), pytrace=False)


@contextmanager
def watch() -> Iterator[Watch]:
    """Check each statement that psycopg sends while the block runs, in all threads."""
    watched = Watch()

    def watching(method: Callable[..., Any]) -> Callable[..., Any]:
        def run(cursor: Any, query: object, *rest: Any, **options: Any) -> Any:
            watched.see(query, sys._getframe(1))
            return method(cursor, query, *rest, **options)

        return run

    with pytest.MonkeyPatch.context() as patch:
        for kind in (psycopg.Cursor, psycopg.ServerCursor):
            for name in ("execute", "executemany"):
                patch.setattr(kind, name, watching(getattr(kind, name)))
        yield watched
