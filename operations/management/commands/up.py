"""`manage.py up`: runs Ebb in the foreground until Ctrl-C."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from operations.preconditions import StartError
from operations.startup.supervisor import Supervisor


class Command(BaseCommand):
    """Run Ebb in the foreground."""

    help = "Run Ebb: PostgreSQL (unless DATABASE_URL is set), web server, worker and beat."
    # The checks need a database, which is not running yet.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--stop-with-parent",
            action="store_true",
            help="stop when the process that started this one is gone (for make)",
        )

    def handle(self, *args: Any, stop_with_parent: bool, **options: Any) -> None:
        try:
            Supervisor(stop_with_parent=stop_with_parent).run()
        except StartError as error:
            sys.exit(str(error) or 1)
        except OSError as error:
            sys.exit(
                f"Ebb cannot use its data folder {settings.EBB_DATA_DIR} ({error.strerror}: "
                f"{error.filename}). Free some space, take ownership of the folder, or choose"
                " another EBB_DATA_DIR."
            )
