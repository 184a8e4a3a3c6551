"""`manage.py backup`: writes the whole installation to one file."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from operations.backup.backup import BackupError, back_up
from operations.preconditions import StartError


class Command(BaseCommand):
    """Write a backup of the installation."""

    help = "Write the whole installation to a file. Ebb may keep running."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", nargs="?", help="target file; default: a dated file in the current folder"
        )
        parser.add_argument(
            "--encrypt-to", metavar="RECIPIENT", action="append", default=[],
            help="encrypt for this key of age (age1…); may be repeated. "
            "Without it, EBB_BACKUP_PASSPHRASE encrypts the backup, if it is set",
        )  # fmt: skip

    def handle(self, *args: Any, file: str | None, encrypt_to: list[str], **options: Any) -> None:
        now = timezone.now()
        target = Path(file or f"ebb-{now:%Y-%m-%d-%H%M%S}.backup").resolve()
        try:
            back_up(target, recipients=encrypt_to)
        except (BackupError, StartError, OSError) as error:
            sys.exit(str(error))
        self.stdout.write(str(target))
