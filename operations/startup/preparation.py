"""Prepares everything that Ebb's processes need at start. A repetition changes nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import (
    DatabaseError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)
from django.utils import timezone
from pgmq.install import install_pgmq_from_sql
from psycopg.errors import InsufficientPrivilege

from accounts.members.services import add_member
from accounts.models import Embedder, Role, Space, User
from accounts.moderators import make_moderators
from foundation.actors import SYSTEM
from memory.embeddings import EmbeddingError
from memory.embeddings.embedders import configured_embedder
from memory.models import WorkerHeartbeat
from memory.spaces.services import create_space
from memory.store.services import create_memories
from operations.broker import queue_url
from operations.database import libpq_url
from operations.local_files import private_folder
from operations.monitoring.shared_metrics import forget_ended_processes
from operations.postgres.backup_tables import put_back
from operations.postgres.schema import newer_schema
from operations.preconditions import StartError
from operations.startup.demo import sample_memories

OWNER = "owner"
DEMO_SPACE = "demo"
# Any number that no other program uses for an advisory lock in this database.
LOCK = 0x65626221


def prepare(*, say: Callable[[str], None]) -> None:
    """Update database, queue, static files and embedding model to this version.

    Raises StartError if the database or the embedding model cannot be used.
    """
    if not settings.EBB_DATA_DIR.exists():  # else its owner has chosen the permissions
        private_folder(settings.EBB_DATA_DIR)
    say("Preparing the database…")
    try:
        with one_at_a_time():
            put_back(libpq_url(settings.DATABASE_URL))
            _prepare_database()
            call_command("collectstatic", verbosity=0, interactive=False)
            forget_ended_processes()
            say("Preparing the embedding model…")
            make_demo_space(configured_embedder())
    except (ProgrammingError, OperationalError, psycopg.OperationalError) as error:
        raise _as_start_error(error) from None
    except EmbeddingError as error:
        advice = (
            " Check EBB_EMBEDDING_PROVIDER with its key and model, "
            "or unset it for the built-in model."
        )
        raise StartError(
            str(error) if settings.EBB_EMBEDDING_PROVIDER == "local" else f"{error}{advice}"
        ) from None
    connection.close()


@contextmanager
def one_at_a_time(url: str = "") -> Iterator[None]:
    """Wait until no other command prepares or restores this database, and make others wait during
    the block.

    The lock belongs to a transaction, so that it works behind a pooler that shares connections. Its
    statements have no parameters: with some, the transaction would keep a snapshot, and the
    building of an index beside writes would wait for its end.
    """
    with psycopg.connect(url or libpq_url(settings.DATABASE_URL)) as lock:
        lock.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        lock.execute(f"SELECT pg_advisory_xact_lock({LOCK})")
        yield


def _as_start_error(error: DatabaseError | psycopg.Error) -> StartError:
    """Return a one-line error that an administrator can act on. Raises other errors unchanged."""
    reason = str(error).strip().partition("\n")[0]
    if isinstance(error.__cause__, InsufficientPrivilege):
        return StartError(
            f"Ebb's user in the database lacks a right: {reason}. It must own the database, and an "
            "administrator must have made the extension in it: CREATE EXTENSION vector;"
        )
    if isinstance(error, OperationalError | psycopg.OperationalError):
        return StartError(f"The database could not be prepared: {reason}")
    raise error


def _prepare_database() -> None:
    refuse_newer()
    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
    make_moderators()  # after the migration, which creates the permissions
    if settings.CELERY_BROKER_URL.startswith("pgmq:"):
        _install_queue(queue_url(settings.CELERY_BROKER_URL, settings.DATABASE_URL))


def refuse_newer() -> None:
    """Raise StartError if a newer Ebb has prepared this database, whose columns would not match."""
    if fault := newer_schema():
        raise StartError(fault)


def forget_last_run() -> None:
    """Delete the workers' heartbeats, so that "ready" refers to the new workers."""
    WorkerHeartbeat.objects.all().delete()


def _install_queue(url: str) -> None:
    with psycopg.connect(url) as session:
        # The installation SQL cannot be run twice.
        [installed] = session.execute("SELECT to_regclass('pgmq.meta')").fetchone() or [None]
    if installed is None:
        install_pgmq_from_sql(dsn=url)


@transaction.atomic
def make_demo_space(embedder: Embedder) -> None:
    """Create the first user and space, if both are missing from the database.

    A person's later changes are kept, even the deletion of the space.
    """
    if Space.objects.exists() and User.objects.exists():
        return
    owner = User.objects.filter(username=OWNER).first()
    if owner is None:
        # Without a password: the user logs in by link until they set one.
        owner = User.objects.create_superuser(OWNER, password=None)
    now = timezone.now()
    if demo := Space.objects.filter(slug=DEMO_SPACE).first():
        # Created just now by `create_api_key --create-space`, which does not wait for us.
        add_member(space=demo, user=owner, role=Role.OWNER, actor=SYSTEM, now=now)
        return
    space = create_space(slug=DEMO_SPACE, name="Demo", embedder=embedder, actor=SYSTEM, owner=owner)
    if settings.EBB_DEMO_DATA:
        create_memories(space=space, drafts=sample_memories(now), actor=SYSTEM, now=now)
