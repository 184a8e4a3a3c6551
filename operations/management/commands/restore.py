"""`manage.py restore`: replaces the installation with a backup."""

import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from operations.backup.backup import BackupError, restore
from operations.preconditions import StartError


class Command(BaseCommand):
    """Restore a backup of the installation."""

    help = "Restore a backup into an empty database, or into any with --replace."
    # The checks need a database, which may not be running yet.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file written by `backup`")
        parser.add_argument(
            "--identity", type=Path, help="the file with the age key of an encrypted backup"
        )
        parser.add_argument(
            "--replace", action="store_true", help="delete the database's contents first"
        )
        parser.add_argument(
            "--even-if-running", action="store_true", help="restore even if Ebb seems to be running"
        )

    def handle(
        self,
        *args: Any,
        file: str,
        identity: Path | None,
        replace: bool,
        even_if_running: bool,
        **options: Any,
    ) -> None:
        os.umask(0o077)  # no other account reads what it writes
        try:
            restore(
                Path(file),
                identity=identity,
                replace=replace,
                even_if_running=even_if_running,
                now=timezone.now(),
                say=self._say,
            )
        except (BackupError, StartError, OSError) as error:
            sys.exit(str(error))
        self.stdout.write(f"Restored {file}.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
