"""`manage.py prepare`: prepares everything that the processes need. A deployment runs it first."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from operations.preconditions import (
    StartError,
    check_database,
    check_embedding,
    check_queue,
    check_sign_in,
)
from operations.startup.preparation import forget_last_run, prepare


class Command(BaseCommand):
    """Prepare the installation for its processes."""

    help = "Prepare the database, the queue, static files, the embedding model and the demo space."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--alone",
            action="store_true",
            help="discard the state of earlier processes, if no Ebb process uses this database",
        )

    def handle(self, *args: Any, alone: bool, **options: Any) -> None:
        try:
            check_embedding()
            check_sign_in()
            check_queue()
            check_database()
            prepare(say=self._say)
        except StartError as error:
            sys.exit(str(error))
        except OSError as error:
            where = error.filename or "all that it needs to"  # a full disk gives no file name
            sys.exit(f"Ebb cannot write {where}: {error.strerror}.")
        if alone:
            forget_last_run()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
