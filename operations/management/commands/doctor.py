"""`manage.py doctor`: says what is wrong with the installation and what to do."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from operations.monitoring.doctor import examine

_WIDTH = 18


class Command(BaseCommand):
    """Examine the installation."""

    help = "Examine database, queue, workers, models, files and host. Exit code 1 for a fault."
    # The checks need a database, which may be what is wrong.
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        faults = 0
        for finding in examine():
            faults += bool(finding.advice)
            mark = "FAULT" if finding.advice else "ok"
            self.stdout.write(f"{mark:<6} {finding.part:<{_WIDTH}} {finding.said}")
            if finding.advice:
                self.stdout.write(f"{'':<6} {'':<{_WIDTH}} → {finding.advice}")
        if faults:
            sys.exit(f"{faults} of these need attention." if faults > 1 else "One needs attention.")
        self.stdout.write("Everything works.")
